import { LeaseError } from './errors.ts';
import { limits } from './limits.ts';
import type { Share } from './ports.ts';

/** What almost every key is: short, printable, one byte per character. Everything else is looked at closely. */
const plainKey = /^[ -~]{1,256}$/;

/** Checks where values enter. One sentence each: what is wrong, and what would be right. */
export function checkKey(key: unknown, what = 'lease key'): asserts key is string {
  if (typeof key === 'string' && plainKey.test(key)) return;
  if (typeof key !== 'string') throw invalid(`A ${what} must be a string, got ${describe(key)}.`);
  if (key.length === 0) throw invalid(`A ${what} must not be empty.`);
  const bytes = utf8Bytes(key);
  if (bytes > limits.keyBytesMax) {
    throw invalid(
      `The ${what} "${key.slice(0, 24)}…" is ${bytes} bytes long; at most ${limits.keyBytesMax} are allowed. Hash long names.`,
    );
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is the point; they break logs and SQL text.
  if (/[\u0000-\u001f\u007f]/.test(key))
    throw invalid(`The ${what} ${JSON.stringify(key)} contains a control character.`);
  if (!isWellFormed(key)) throw invalid(`The ${what} ${JSON.stringify(key)} contains half a surrogate pair.`);
}

export function checkTtl(ttlMs: unknown): asserts ttlMs is number {
  checkRange('ttlMs', ttlMs, limits.ttlMsMin, limits.ttlMsMax);
}

export function checkWait(waitMs: unknown): asserts waitMs is number {
  checkRange('waitMs', waitMs, 0, limits.waitMsMax);
}

export function checkShare(share: Share): void {
  const { weight, capacity } = share;
  if (!Number.isInteger(capacity) || capacity < 1 || capacity > limits.capacityMax) {
    throw invalid(
      `The capacity of a counted lease must be a whole number from 1 to ${limits.capacityMax}, got ${describe(capacity)}.`,
    );
  }
  if (!Number.isInteger(weight) || weight < 1 || weight > capacity) {
    throw invalid(
      `The weight of a counted lease must be a whole number from 1 to its capacity (${capacity}), got ${describe(weight)}.`,
    );
  }
}

export interface LeaseTimes {
  readonly ttlMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

/** TTL > renew deadline > retry period, or the holder would stop too late, or never get a second try. */
export function checkTimes({ ttlMs, renewDeadlineMs, retryPeriodMs }: LeaseTimes): void {
  checkTtl(ttlMs);
  checkRange('renewDeadlineMs', renewDeadlineMs, 1, limits.ttlMsMax);
  checkRange('retryPeriodMs', retryPeriodMs, 1, limits.ttlMsMax);
  if (!(ttlMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs)) {
    throw invalid(
      `Lease times must satisfy ttlMs > renewDeadlineMs > retryPeriodMs, got ${ttlMs} > ${renewDeadlineMs} > ${retryPeriodMs}.`,
    );
  }
}

function checkRange(name: string, value: unknown, min: number, max: number): asserts value is number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < min || value > max) {
    throw invalid(`${name} must be a number of milliseconds from ${min} to ${max}, got ${describe(value)}.`);
  }
}

function invalid(message: string): LeaseError {
  return new LeaseError(message, { code: 'invalid-argument' });
}

function describe(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : String(value);
}

function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

function isWellFormed(text: string): boolean {
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff) return false;
  }
  return true;
}
