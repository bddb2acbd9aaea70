/**
 * What may happen to the record: pure functions of record, request and time. They run inside the mutex only.
 *
 *   1. A grant needs a record that is free, expired, abandoned for certain (the gate or the holder's presence lock is
 *      in our hand) or deliberately overruled. Each raises the token; the record shows the last number of its block.
 *   2. With the gate in hand a live `web-lock` record is taken over at once, since its holder has lost the gate. A live
 *      `file-lock` record is a conflict. Without the gate every live record is one.
 *   3. A record further ahead than its own TTL means that the clock went back: then the asker's own observation counts.
 *   4. Renew, release and commit compare lease id and token, and refuse what is another's.
 *   5. Whoever asks again with the same lease id gets the same grant: the answer may have been lost.
 */
import type { LockRecord } from './lock-record.ts';
import type { ProjectLockErrorCode } from './project-lock-error.ts';
import type { ProjectLockStrategy } from './project-lock-lease.ts';

export interface RecordDecision {
  /** What to write; absent: nothing changes. */
  readonly next?: LockRecord;
  readonly refusal?: ProjectLockErrorCode;
  /** For the one who reads the refusal. */
  readonly cause?: unknown;
}

export interface AcquireQuery {
  readonly leaseId: string;
  readonly ownerId: string;
  readonly strategy: ProjectLockStrategy;
  readonly presence: boolean;
  readonly ttlMs: number;
  /** How many tokens to reserve. */
  readonly block: number;
  /** The Web Lock is in the asker's hand. */
  readonly gate: boolean;
  /** The lease whose presence lock was found free. */
  readonly gone?: string | null;
  /** The record the asker has watched unchanged, and for how long on its own monotonic clock. */
  readonly seen?: { readonly n: number; readonly ms: number };
  /** Overrule the holder if the token is still this one, and the last time is long enough ago. */
  readonly steal?: { readonly token: number; readonly coolDownMs: number };
  /** Build an unreadable record anew. */
  readonly rebuild?: boolean;
}

/** What a holder says to be recognised. */
export interface LeaseClaim {
  readonly leaseId: string;
  readonly token: number;
}

/** Clocks of two tabs may differ by this much before a record counts as one from the future. */
const slackMs = 1000;

/** Nobody else may be granted it. `seenMs`: how long the asker has watched this very record. */
export function isLive(record: LockRecord, nowMs: number, seenMs = 0): boolean {
  if (!record.leaseId) return false;
  const leftMs = record.expiresAt - nowMs;
  return leftMs > record.ttlMs + slackMs ? seenMs < record.ttlMs : leftMs > 0;
}

/** A session owns the whole block. */
export function isMine(record: LockRecord, { leaseId, token }: LeaseClaim): boolean {
  return record.leaseId === leaseId && token >= record.first && token <= record.token;
}

/** `floor`: no token at or below it may be given out, although the record knows nothing of it. */
export function decideAcquire(record: LockRecord, query: AcquireQuery, nowMs: number, floor = 0): RecordDecision {
  const { block, gate, gone, seen, steal, rebuild: _, ...grant } = query;
  const n = record.n + 1;
  const expiresAt = nowMs + grant.ttlMs;
  if (record.leaseId === grant.leaseId) return { next: { ...record, n, expiresAt } };
  if (steal) {
    const sinceMs = nowMs - record.stolenAt;
    // Either the lock changed hands meanwhile, or it cools down.
    if (record.token !== steal.token || (sinceMs >= 0 && sinceMs < steal.coolDownMs))
      return { refusal: 'acquire-denied' };
  } else if (
    isLive(record, nowMs, seen && seen.n === record.n ? seen.ms : 0) &&
    !(gate && record.strategy === 'web-lock') &&
    gone !== record.leaseId
  ) {
    return { refusal: 'fallback-conflict' };
  }
  const first = Math.max(record.token, floor) + 1;
  return {
    next: {
      ...grant,
      n,
      token: first + block - 1,
      first,
      acquiredAt: nowMs,
      expiresAt,
      stolenAt: steal ? nowMs : record.stolenAt,
    },
  };
}

/** Whether a holder may act on the record as it stands. */
export function decideUse(record: LockRecord, claim: LeaseClaim, nowMs: number): RecordDecision {
  if (!isMine(record, claim)) return { refusal: 'lease-stale' };
  return nowMs < record.expiresAt ? {} : { refusal: 'lease-expired' };
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
  const { refusal } = decideUse(record, claim, nowMs);
  if (refusal && !(revive && refusal === 'lease-expired')) return { refusal };
  return { next: { ...record, n: record.n + 1, ttlMs, expiresAt: nowMs + ttlMs } };
}

/** The tombstone keeps the token. Releasing what is released already changes nothing. */
export function decideRelease(record: LockRecord, claim: LeaseClaim, force: boolean): RecordDecision {
  if (force || isMine(record, claim)) return { next: { ...record, n: record.n + 1, leaseId: null } };
  return isMine({ ...record, leaseId: record.leaseId ?? claim.leaseId }, claim) ? {} : { refusal: 'lease-stale' };
}
