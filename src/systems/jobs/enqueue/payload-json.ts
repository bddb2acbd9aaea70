import { JobError } from '../job-error.ts';

/** Larger things belong into a store of their own, with their name in the payload. In characters of JSON. */
export const payloadCharsMax = 1_048_576;

/** An escaped NUL, and not a backslash before the text u0000. */
const nulPattern = /(?<!\\)(?:\\\\)*\\u0000/;

/** A payload as it is stored. Throws `invalid-payload` for what is not JSON or too large. */
export function payloadJson(payload: unknown, job: string): string {
  let text: string | undefined;
  try {
    text = payload === undefined ? 'null' : JSON.stringify(payload);
  } catch (cause) {
    throw new JobError(
      `The payload of "${job}" is not JSON: ${cause instanceof Error ? cause.message : String(cause)}.`,
      {
        code: 'invalid-payload',
        job,
        cause,
      },
    );
  }
  if (text === undefined) {
    throw new JobError(`The payload of "${job}" is a ${typeof payload}, which JSON does not know.`, {
      code: 'invalid-payload',
      job,
    });
  }
  if (text.includes('\\u0000') && nulPattern.test(text)) {
    throw new JobError(`The payload of "${job}" has a NUL character, which the database does not keep.`, {
      code: 'invalid-payload',
      job,
    });
  }
  if (text.length > payloadCharsMax) {
    throw new JobError(
      `The payload of "${job}" has ${text.length} characters of JSON, more than ${payloadCharsMax}: store it elsewhere and enqueue its name.`,
      { code: 'invalid-payload', job },
    );
  }
  return text;
}
