import type { LockRecord } from './lock-record.ts';

/** Clocks of two tabs may differ by this much before a record counts as one from the future. */
const slackMs = 1000;

/**
 * Nobody else may be granted it. A record further ahead than its own TTL means that the clock went back: then the
 * asker's own observation counts. `seenMs`: how long it has watched this very record on its monotonic clock.
 */
export function isLive({ leaseId, expiresAt, ttlMs }: LockRecord, nowMs: number, seenMs = 0): boolean {
  if (!leaseId) return false;
  const leftMs = expiresAt - nowMs;
  return leftMs > ttlMs + slackMs ? seenMs < ttlMs : leftMs > 0;
}
