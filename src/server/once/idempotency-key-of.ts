import { ProblemError } from '../problem.ts';

/** The header `Idempotency-Key`, with or without the quotes of its draft; undefined: there is none. */
export function idempotencyKeyOf({ headers }: Request): string | undefined {
  const header = headers.get('idempotency-key');
  if (header === null) return undefined;
  const key = /^\s*"?([\x21\x23-\x7e]{1,255})"?\s*$/.exec(header)?.[1];
  if (key !== undefined) return key;
  throw new ProblemError({
    status: 400,
    code: 'invalid-argument',
    detail: '"Idempotency-Key" must be 1 to 255 printable characters without spaces.',
  });
}
