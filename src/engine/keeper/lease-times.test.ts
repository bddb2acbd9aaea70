import { expect, it } from 'vitest';
import { leaseTimes, scaleTimes } from './lease-times.ts';

it('what is not named follows from the TTL, and another TTL keeps the proportions', () => {
  expect(leaseTimes({})).toEqual({ ttlMs: 15_000, renewDeadlineMs: 12_000, retryPeriodMs: 3_750 });
  const times = leaseTimes({ ttlMs: 1_000, renewDeadlineMs: 900, retryPeriodMs: 100 });
  expect(scaleTimes(times, 2_000)).toEqual({ ttlMs: 2_000, renewDeadlineMs: 1_800, retryPeriodMs: 200 });
});

it('times that cannot keep a lease are refused', () => {
  expect(() => leaseTimes({ ttlMs: 1 })).toThrow('ttlMs');
  expect(() => leaseTimes({ ttlMs: 1_000, retryPeriodMs: 900 })).toThrow('renewDeadlineMs > retryPeriodMs');
});
