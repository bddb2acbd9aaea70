import { checkTimes, checkTtl, type LeaseTimes } from '../../core/lease-arguments.ts';

/** The three times of a keeper: what is not named follows from the TTL. */
export function leaseTimes(options: Partial<LeaseTimes>): LeaseTimes {
  const ttlMs = options.ttlMs ?? 15_000;
  checkTtl(ttlMs);
  const times = {
    ttlMs,
    renewDeadlineMs: options.renewDeadlineMs ?? ttlMs * 0.8,
    retryPeriodMs: options.retryPeriodMs ?? ttlMs / 4,
  };
  checkTimes(times);
  return times;
}

/** The same proportions for another TTL. */
export function scaleTimes(times: LeaseTimes, ttlMs: number): LeaseTimes {
  const factor = ttlMs / times.ttlMs;
  return { ttlMs, renewDeadlineMs: times.renewDeadlineMs * factor, retryPeriodMs: times.retryPeriodMs * factor };
}
