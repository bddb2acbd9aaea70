/**
 * What a handler threw, in words. Anything may come: a string, undefined, an object whose getters throw. The run gets
 * a word for programs and a sentence for people; nothing that was thrown can disturb the worker.
 */
export interface Failure {
  /** A word for programs: the `code` of the error where it has one, else `handler-failed`. */
  readonly reason: string;
  /** A sentence for people. */
  readonly error: string;
  /** False only where the error says so: then there is no next attempt. */
  readonly retryable: boolean;
  /** The delay that the error asks for. */
  readonly retryAfterMs?: number;
}

/** More is a log in the wrong place; it would be read with every listing of runs. */
const errorCharsMax = 4_000;
const reasonPattern = /^[a-z][a-z0-9-]{0,63}$/;
const causesMax = 5;

export function describeFailure(thrown: unknown): Failure {
  try {
    return describe(thrown);
  } catch {
    return { reason: 'handler-failed', error: 'The handler threw something that cannot be read.', retryable: true };
  }
}

function describe(thrown: unknown): Failure {
  const { code, retryable, retryAfterMs } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as {
    readonly code?: unknown;
    readonly retryable?: unknown;
    readonly retryAfterMs?: unknown;
  };
  return {
    reason: typeof code === 'string' && reasonPattern.test(code) ? code : 'handler-failed',
    error: cut(sentence(thrown)),
    retryable: retryable !== false,
    ...(typeof retryAfterMs === 'number' && retryAfterMs >= 0 && Number.isFinite(retryAfterMs) && { retryAfterMs }),
  };
}

function sentence(thrown: unknown): string {
  if (!isError(thrown)) return `The handler threw ${shown(thrown)}.`;
  const parts = [`${thrown.name}: ${thrown.message}`];
  let cause: unknown = thrown.cause;
  for (let n = 0; cause !== undefined && n < causesMax; n++) {
    parts.push(isError(cause) ? `${cause.name}: ${cause.message}` : shown(cause));
    cause = isError(cause) ? cause.cause : undefined;
  }
  return parts.join(' · caused by ');
}

/** By what it has: an error of another realm is no instance of ours. */
function isError(value: unknown): value is Error {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<Error>).message === 'string' &&
    typeof (value as Partial<Error>).name === 'string'
  );
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value === 'object' && value !== null) return JSON.stringify(value) ?? 'an object';
  return String(value);
}

function cut(text: string): string {
  // PostgreSQL keeps no NUL in a text.
  const clean = text.replaceAll('\0', '\uFFFD');
  return clean.length <= errorCharsMax ? clean : `${clean.slice(0, errorCharsMax)}… (${clean.length} characters)`;
}
