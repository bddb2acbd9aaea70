/**
 * What may happen to the record: pure functions of record, request and time. They run inside the mutex only.
 *
 *   1. A grant needs a record that is free, expired, abandoned for certain (the gate is in our hand) or judged to be over.
 *      Each raises the token; the record shows the last number of its block.
 *   2. With the gate in hand a live `web-lock` record is taken over at once, since its holder has lost the gate. A live
 *      `file-lock` record is a conflict. Without the gate every live record is one.
 *   3. What takes more than a look is judged outside, by code that few pages load: that the holder's tab is gone, that the
 *      clock went back, that the holder kept silent and the cool-down is over, which tokens were given out before there
 *      was a record. The judgement names the one record it is about; any write since, a renewal too, makes it void.
 *   4. Renew, release and commit compare lease id and token, and refuse what is another's.
 *   5. Whoever asks again with the same lease id gets the same grant: the answer may have been lost.
 */
import type { LockRecord } from './lock-record.ts';
import type { ProjectLockErrorCode } from './project-lock-error.ts';
import type { ProjectLockStrategy } from './project-lock-lease.ts';

/** What to write, why nothing may be done, or nothing: the record stays as it is. */
export type RecordDecision = LockRecord | ProjectLockErrorCode | undefined;

export interface AcquireQuery {
  readonly leaseId: string;
  readonly ownerId: string;
  /** `web-lock`: the gate is in the asker's hand. */
  readonly strategy: ProjectLockStrategy;
  readonly presence?: boolean;
  readonly ttlMs: number;
  /** How many tokens to reserve. */
  readonly block: number;
  /** The record with this `n` does not count, though it is live: the asker has judged it (rule 3). */
  readonly over?: number;
  /** The gate is not in hand: `over` comes before, and the time is kept for the cool-down. */
  readonly steal?: boolean;
  /** No token at or below it may be given out, although the record knows nothing of it. */
  readonly floor?: number;
}

/** What a holder says to be recognised. */
export interface LeaseClaim {
  readonly leaseId: string;
  readonly token: number;
}

/** A session owns the whole block. */
export function isMine(record: LockRecord, { leaseId, token }: LeaseClaim): boolean {
  return record.leaseId === leaseId && token >= record.first && token <= record.token;
}

export function decideAcquire(record: LockRecord, query: AcquireQuery, nowMs: number): RecordDecision {
  const { block, over, steal, floor = 0, ...grant } = query;
  const expiresAt = nowMs + grant.ttlMs;
  if (record.leaseId === grant.leaseId) return { ...record, expiresAt };
  const isUnknown = record.n < 1;
  const byGate = !steal && grant.strategy === 'web-lock' && record.strategy === 'web-lock';
  if (over !== record.n && (isUnknown || (record.leaseId && nowMs < record.expiresAt && !byGate)))
    return record.n < 0 ? 'fallback-read-failed' : 'fallback-conflict';
  // The wall clock in µs is ahead of all tokens counted up by one.
  const first = Math.max(record.token, floor, isUnknown ? nowMs * 1000 : 0) + 1;
  return {
    ...grant,
    n: record.n,
    token: first + block - 1,
    first,
    acquiredAt: nowMs,
    expiresAt,
    stolenAt: steal ? nowMs : record.stolenAt,
  };
}

/** Whether a holder may act on the record as it stands. */
export function decideUse(
  record: LockRecord,
  claim: LeaseClaim,
  nowMs: number,
): 'lease-stale' | 'lease-expired' | undefined {
  if (!isMine(record, claim)) return 'lease-stale';
  return nowMs < record.expiresAt ? undefined : 'lease-expired';
}

/**
 * `revive`: the clock jumped while the lease was in force. As long as the record is still ours nobody was granted
 * anything since, so it may live on.
 */
export function decideRenew(
  record: LockRecord,
  claim: LeaseClaim,
  ttlMs: number,
  nowMs: number,
  revive: boolean,
): RecordDecision {
  return decideUse(record, claim, revive ? 0 : nowMs) ?? { ...record, ttlMs, expiresAt: nowMs + ttlMs };
}

/** The tombstone keeps the token. Releasing what is released already changes nothing. */
export function decideRelease(record: LockRecord, claim: LeaseClaim, force?: boolean): RecordDecision {
  if (force || isMine(record, claim)) return { ...record, leaseId: null };
  return isMine({ ...record, leaseId: record.leaseId ?? claim.leaseId }, claim) ? undefined : 'lease-stale';
}
