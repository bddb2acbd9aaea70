import { describe, expect, it } from 'vitest';
import { LeaseError } from './errors.ts';
import { checkKey, checkShare, checkTimes, checkTtl, checkWait } from './lease-arguments.ts';
import { limits } from './limits.ts';

function refusal(check: () => void): string {
  try {
    check();
  } catch (error) {
    expect(error).toBeInstanceOf(LeaseError);
    expect((error as LeaseError).code).toBe('invalid-argument');
    return (error as LeaseError).message;
  }
  return 'accepted';
}

describe('keys', () => {
  // Exactly as many bytes as allowed, in characters of one to four bytes and at the edges between them.
  const full = (char: string, bytes: number): string =>
    char.repeat(limits.keyBytesMax / bytes) + 'x'.repeat(limits.keyBytesMax % bytes);
  it.each([
    ['\u0080', 2],
    ['\u07ff', 2],
    ['\u0800', 3],
    ['\ud7ff', 3],
    ['\ue000', 3],
    ['\uffff', 3],
    ['\u{10000}', 4],
  ])('counts %j as %d bytes', (char, bytes) => {
    const key = full(char, bytes);
    expect(new TextEncoder().encode(key)).toHaveLength(limits.keyBytesMax);
    expect(refusal(() => checkKey(key))).toBe('accepted');
    expect(refusal(() => checkKey(`${key}x`))).toContain(`${limits.keyBytesMax + 1} bytes`);
  });

  it.each(['a', 'reports/nightly', 'x'.repeat(limits.keyBytesMax), '鍵', '../..', ' '])('accepts %j', (key) => {
    expect(refusal(() => checkKey(key))).toBe('accepted');
  });

  it.each([
    ['', 'must not be empty'],
    ['x'.repeat(10_240), '10240 bytes'],
    ['鍵'.repeat(200), '600 bytes'],
    ['a\u0000b', 'control character'],
    ['a\nb', 'control character'],
    ['\ud800', 'surrogate'],
    ['\udfff', 'surrogate'],
    ['a\u007f', 'control character'],
    [7, 'must be a string'],
    [undefined, 'A lease key must be a string, got undefined'],
  ])('refuses %j in one sentence', (key, sentence) => {
    expect(refusal(() => checkKey(key))).toContain(sentence);
  });
});

it('an argument is quoted in its refusal, but not at any length', () => {
  expect(refusal(() => checkTtl('x'.repeat(1_000)))).toContain(`got "${'x'.repeat(40)}".`);
});

describe('times', () => {
  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 365 * 86_400_000, limits.ttlMsMin - 1, '5', null])(
    'refuses a TTL of %j',
    (ttlMs) => {
      expect(refusal(() => checkTtl(ttlMs))).toContain(`from ${limits.ttlMsMin} to ${limits.ttlMsMax}`);
    },
  );

  it('accepts the bounds themselves', () => {
    expect(refusal(() => checkTtl(limits.ttlMsMin))).toBe('accepted');
    expect(refusal(() => checkTtl(limits.ttlMsMax))).toBe('accepted');
    expect(refusal(() => checkWait(0))).toBe('accepted');
    expect(refusal(() => checkWait(-1))).toContain('waitMs');
  });

  it.each([
    [1_000, 1_000, 100],
    [1_000, 100, 100],
    [1_000, 100, 500],
  ])('refuses %d > %d > %d', (ttlMs, renewDeadlineMs, retryPeriodMs) => {
    expect(refusal(() => checkTimes({ ttlMs, renewDeadlineMs, retryPeriodMs }))).toContain(
      'ttlMs > renewDeadlineMs > retryPeriodMs',
    );
  });

  it.each([
    [{ ttlMs: 'x' as unknown as number, renewDeadlineMs: 2, retryPeriodMs: 1 }, 'ttlMs'],
    [{ ttlMs: 1_000, renewDeadlineMs: 0, retryPeriodMs: -1 }, 'renewDeadlineMs'],
    [{ ttlMs: 1_000, renewDeadlineMs: 2, retryPeriodMs: 0 }, 'retryPeriodMs'],
  ])('names which of the times is out of bounds: %j', (times, name) => {
    expect(refusal(() => checkTimes(times))).toMatch(new RegExp(`^${name} must be a number of milliseconds`));
  });

  it('accepts times in order', () => {
    expect(refusal(() => checkTimes({ ttlMs: 1_000, renewDeadlineMs: 800, retryPeriodMs: 200 }))).toBe('accepted');
  });
});

describe('shares', () => {
  it.each([
    [{ weight: 0, capacity: 3 }, 'weight'],
    [{ weight: 4, capacity: 3 }, 'weight'],
    [{ weight: 1.5, capacity: 3 }, 'weight'],
    [{ weight: 1, capacity: 0 }, 'capacity'],
    [{ weight: 1, capacity: Number.NaN }, 'capacity'],
    [{ weight: 1, capacity: limits.capacityMax + 1 }, 'capacity'],
  ])('refuses %j', (share, what) => {
    expect(refusal(() => checkShare(share))).toContain(`The ${what} of a counted lease`);
  });

  it('accepts a pool of one, and the largest', () => {
    expect(refusal(() => checkShare({ weight: 1, capacity: 1 }))).toBe('accepted');
    expect(refusal(() => checkShare({ weight: 1, capacity: limits.capacityMax }))).toBe('accepted');
  });

  it('accepts the whole capacity', () => {
    expect(refusal(() => checkShare({ weight: 3, capacity: 3 }))).toBe('accepted');
  });
});
