import type { ProjectLockStrategy } from './project-lock-lease.ts';
import type { AcquireQuery } from './record-rules.ts';
import type { TabLock } from './tab-lock.ts';

/** Longer by file: where there is no Web Lock, only its end tells that a holder is dead. */
const defaultTtlMs = { 'web-lock': 25_000, 'file-lock': 30_000 } as const;

/** A query for the record, when it is not the usual one. No lease outlives a day by itself. */
export function acquireQuery(
  { newId, ownerId }: TabLock,
  strategy: ProjectLockStrategy,
  ttlMs: number = defaultTtlMs[strategy],
  block = 1,
): AcquireQuery {
  return { leaseId: newId(), ownerId, strategy, ttlMs: checkTtlMs(ttlMs), block };
}

/** The record keeps whole milliseconds. */
export function checkTtlMs(ttlMs: number): number {
  if (ttlMs >= 1000 && ttlMs <= 86_400_000) return Math.round(ttlMs);
  throw new RangeError(`TTL ${ttlMs} ms: not 1 s to 1 day.`);
}
