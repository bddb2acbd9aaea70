/** What a case expected and did not see. Test runners show `expected` and `actual` side by side. */
import { LeaseError, type LeaseErrorCode } from '../core/errors.ts';
import type { AcquireReply } from '../core/ports.ts';

export type GrantedReply = AcquireReply & { readonly granted: true };
export type RefusedReply = AcquireReply & { readonly granted: false };

export function assertThat(condition: boolean, what: string): asserts condition {
  if (!condition) throw failure(what);
}

/** Compares plain data: same JSON, same value. */
export function assertEqual(actual: unknown, expected: unknown, what: string): void {
  const [seen, wanted] = [write(actual), write(expected)];
  if (seen !== wanted) throw failure(`${what}: expected ${wanted}, got ${seen}`, actual, expected);
}

/** `from` and `to` belong to the range. */
export function assertBetween(actual: number | undefined, from: number, to: number, what: string): void {
  if (actual === undefined || !(actual >= from && actual <= to)) {
    throw failure(`${what}: expected a number from ${from} to ${to}, got ${actual}`);
  }
}

export function assertAbove(actual: number, floor: number, what: string): void {
  if (!(actual > floor)) throw failure(`${what}: expected more than ${floor}, got ${actual}`);
}

export function assertGranted(reply: AcquireReply, what: string): GrantedReply {
  if (!reply.granted) throw failure(`${what} should be granted, but was refused: ${write(reply)}`);
  return reply;
}

export function assertRefused(reply: AcquireReply, what: string): RefusedReply {
  if (reply.granted) throw failure(`${what} should be refused, but was granted: ${write(reply)}`);
  return reply;
}

export async function assertLeaseError(
  work: Promise<unknown>,
  code: LeaseErrorCode,
  what: string,
): Promise<LeaseError> {
  const error = await work.then(
    (value) => failure(`${what} should throw a LeaseError (${code}), but gave ${write(value)}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof LeaseError && error.code === code) return error;
  throw error instanceof LeaseError
    ? failure(`${what}: expected code ${code}, got ${error.code}: ${error.message}`)
    : error;
}

function failure(message: string, actual?: unknown, expected?: unknown): Error {
  return Object.assign(new Error(message), {
    name: 'AssertionError',
    ...(expected !== undefined && { actual, expected }),
  });
}

function write(value: unknown): string {
  return value === undefined ? 'undefined' : JSON.stringify(value);
}
