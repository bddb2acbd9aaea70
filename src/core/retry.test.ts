import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRetry, nextDelayMs } from './retry.ts';

const backoff = { baseMs: 100, maxMs: 1_000, fraction: 0.5 } as const;
const delays = (jitter: 'equal' | 'full' | 'none', count = 6) =>
  Array.from({ length: count }, (_, i) => nextDelayMs({ ...backoff, attempt: i + 1, jitter }));

describe('nextDelayMs', () => {
  it('doubles up to its maximum', () => {
    expect(delays('none')).toEqual([100, 200, 400, 800, 1_000, 1_000]);
    expect(nextDelayMs({ ...backoff, attempt: 3, factor: 3, jitter: 'none' })).toBe(900);
    expect(nextDelayMs({ ...backoff, attempt: 9, factor: 1, jitter: 'none' })).toBe(100);
  });

  it('spreads by chance: full from 0, equal from the half; full is the default', () => {
    expect(delays('full', 3)).toEqual([50, 100, 200]);
    expect(delays('equal', 3)).toEqual([75, 150, 300]);
    expect(nextDelayMs({ ...backoff, attempt: 1 })).toBe(50);
    expect(nextDelayMs({ ...backoff, attempt: 1, fraction: 0 })).toBe(0);
  });

  it('stays a number after more attempts than a number can hold', () => {
    expect(nextDelayMs({ ...backoff, attempt: 5_000, jitter: 'none' })).toBe(1_000);
    expect(nextDelayMs({ ...backoff, baseMs: 0, attempt: 5_000, jitter: 'none' })).toBe(0);
  });

  it.each([
    ['attempt', { attempt: 0 }],
    ['attempt', { attempt: 1.5 }],
    ['baseMs', { baseMs: -1 }],
    ['baseMs', { baseMs: Number.NaN }],
    ['maxMs', { maxMs: 99 }],
    ['maxMs', { maxMs: Number.POSITIVE_INFINITY }],
    ['factor', { factor: 0.5 }],
    ['factor', { factor: Number.POSITIVE_INFINITY }],
    ['fraction', { fraction: 1 }],
    ['fraction', { fraction: -0.1 }],
    ['fraction', { fraction: Number.NaN }],
  ])('refuses a wrong %s: %o', (name, wrong) => {
    expect(() => nextDelayMs({ ...backoff, attempt: 1, ...wrong })).toThrow(new RegExp(`^${name} of a retry must be`));
  });
});

describe('any backoff', () => {
  const inputs = fc.record({
    attempt: fc.integer({ min: 1, max: 2_000 }),
    baseMs: fc.nat(1e6),
    above: fc.nat(1e9),
    factor: fc.double({ min: 1, max: 100, noNaN: true }),
    fraction: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  });

  it('lies in its bounds', () => {
    fc.assert(
      fc.property(inputs, ({ above, ...input }) => {
        const maxMs = input.baseMs + above;
        const sure = nextDelayMs({ ...input, maxMs, jitter: 'none' });
        expect(sure).toBeGreaterThanOrEqual(input.baseMs);
        expect(sure).toBeLessThanOrEqual(maxMs);
        const full = nextDelayMs({ ...input, maxMs, jitter: 'full' });
        expect(full).toBeGreaterThanOrEqual(0);
        expect(full).toBeLessThanOrEqual(sure);
        const equal = nextDelayMs({ ...input, maxMs, jitter: 'equal' });
        expect(equal).toBeGreaterThanOrEqual(sure / 2);
        expect(equal).toBeLessThanOrEqual(sure);
      }),
    );
  });

  it('never gets shorter without jitter', () => {
    fc.assert(
      fc.property(inputs, ({ above, ...input }) => {
        const at = (attempt: number) => nextDelayMs({ ...input, attempt, maxMs: input.baseMs + above, jitter: 'none' });
        expect(at(input.attempt + 1)).toBeGreaterThanOrEqual(at(input.attempt));
      }),
    );
  });
});

describe('decideRetry', () => {
  const input = { ...backoff, attempt: 2, maxAttempts: 3, retryable: true, jitter: 'none' } as const;

  it('tries again while attempts are left and it can help', () => {
    expect(decideRetry(input)).toEqual({ retry: true, delayMs: 200 });
    expect(decideRetry({ ...input, attempt: 3 })).toEqual({ retry: false, reason: 'attempts-exhausted' });
    expect(decideRetry({ ...input, attempt: 4 })).toEqual({ retry: false, reason: 'attempts-exhausted' });
    expect(decideRetry({ ...input, retryable: false })).toEqual({ retry: false, reason: 'not-retryable' });
    expect(decideRetry({ ...input, attempt: 9_999, maxAttempts: Number.POSITIVE_INFINITY })).toEqual({
      retry: true,
      delayMs: 1_000,
    });
  });

  it('refuses a wrong limit', () => {
    expect(() => decideRetry({ ...input, maxAttempts: 0 })).toThrow(/maxAttempts of a retry must be a number from 1/);
    expect(() => decideRetry({ ...input, maxAttempts: 0 })).toThrow(
      expect.objectContaining({ code: 'invalid-argument' }),
    );
    expect(() => decideRetry({ ...input, maxAttempts: Number.NaN })).toThrow(/maxAttempts/);
  });

  it('one attempt in all is a limit like others', () => {
    expect(decideRetry({ ...input, attempt: 1, maxAttempts: 1 })).toEqual({
      retry: false,
      reason: 'attempts-exhausted',
    });
  });
});
