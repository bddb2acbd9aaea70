/** Answers as they are stored: JSON text, or null for a handler that returned nothing. */
import { RunOnceError, type StoredError } from './run-once-error.ts';
import { runOnceLimits } from './run-once-limits.ts';

export type AnswerText = string | null;

/** Everybody gets what this text says, the one who ran it too: a Date becomes a string for all of them. */
export function writeAnswerText(result: unknown, key: string): AnswerText {
  let text: string | undefined;
  try {
    text = JSON.stringify(result);
  } catch (cause) {
    throw new RunOnceError(`The answer of "${key}" cannot be written as JSON: ${messageOf(cause)}`, {
      code: 'invalid-answer',
      key,
      cause,
    });
  }
  if (text === undefined) {
    if (result === undefined) return null;
    throw new RunOnceError(`The answer of "${key}" is a ${typeof result}, which JSON cannot say.`, {
      code: 'invalid-answer',
      key,
    });
  }
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > runOnceLimits.answerBytesMax) {
    throw new RunOnceError(
      `The answer of "${key}" is ${bytes} bytes of JSON; at most ${runOnceLimits.answerBytesMax} are stored. Keep it elsewhere and return a reference.`,
      { code: 'invalid-answer', key },
    );
  }
  return text;
}

export function readAnswerText(text: AnswerText): unknown {
  return text === null ? undefined : JSON.parse(text);
}

/** What is kept of a thrown value: enough to recognise it, no stack, no fields that may carry secrets. */
export function describeError(error: unknown): StoredError {
  const fields: { readonly name?: unknown; readonly code?: unknown } = typeof error === 'object' && error ? error : {};
  const { name, code } = fields;
  return {
    name: cut(typeof name === 'string' ? name : 'Error', 100),
    message: cut(messageOf(error), runOnceLimits.errorMessageMax),
    ...((typeof code === 'string' || typeof code === 'number') && {
      code: typeof code === 'string' ? cut(code, 100) : code,
    }),
  };
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return 'a value that cannot be shown was thrown';
  }
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}
