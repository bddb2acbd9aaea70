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
    [7, 'must be a string'],
    [undefined, 'must be a string'],
  ])('refuses %j in one sentence', (key, sentence) => {
    expect(refusal(() => checkKey(key))).toContain(sentence);
  });
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
  ])('refuses %j', (share, what) => {
    expect(refusal(() => checkShare(share))).toContain(what);
  });

  it('accepts the whole capacity', () => {
    expect(refusal(() => checkShare({ weight: 3, capacity: 3 }))).toBe('accepted');
  });
});
