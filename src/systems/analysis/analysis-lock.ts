/**
 * The lock of an analysis as pure decisions: (lock, request, the store's now) → (next lock, answer). Who may hold is
 * decided by core/lease.ts; here an analysis is made to look like a lease, and the two rules that leases do not have
 * are added: a finished analysis is never locked, and a name alone is not a grant.
 */
import {
  decideAcquire,
  decideRelease,
  decideRenew,
  emptyRecord,
  type Holder,
  type LeaseRecord,
} from '../../core/lease.ts';

/** The lock in the units of the core. */
export interface AnalysisLock {
  readonly owner: string | undefined;
  /** Undefined with an owner: malformed. */
  readonly endUs: number | undefined;
  readonly heartbeatUs: number | undefined;
  readonly token: number;
}

export interface LockRequest {
  readonly owner: string;
  readonly ttlMs: number;
}

export interface LockAttempt extends LockRequest {
  /** The token that the asker holds already. */
  readonly token?: number | undefined;
  /** A repeated grant id is the same grant, as for leases: only for owners that are new for each attempt. */
  readonly repeats?: boolean;
}

export type LockDecision =
  | {
      readonly granted: true;
      readonly lock: AnalysisLock;
      /** Whose lock had ended without being given back. */
      readonly takenFrom: string | undefined;
    }
  | { readonly granted: false; readonly holder: string; readonly remainingMs: number };

export function decideLock(lock: AnalysisLock, attempt: LockAttempt, nowUs: number): LockDecision {
  const { owner, ttlMs, token, repeats = false } = attempt;
  const record = recordOf(lock, ttlMs);
  const [holder] = record.holders;
  const own = holder?.owner === owner && (repeats || token === holder.token);
  if (holder && !own && holder.endUs > nowUs) return refusal(holder, nowUs);
  // Whoever comes under an old name without its number is a newcomer, not that holder.
  const seen = own ? record : { ...record, holders: [] };
  // Nobody is in the way any more, and nobody stands in line: it is granted.
  const { record: granted } = decideAcquire(seen, { owner, ttlMs, line: false }, nowUs);
  return {
    granted: true,
    lock: lockOf(granted, nowUs),
    takenFrom: holder && !own ? holder.owner : undefined,
  };
}

/** Undefined: not in force under this owner and token. */
export function decideRefresh(
  lock: AnalysisLock,
  request: LockRequest & { readonly token: number },
  nowUs: number,
): AnalysisLock | undefined {
  const record = decideRenew(recordOf(lock, request.ttlMs), request, nowUs);
  return record && lockOf(record, nowUs);
}

/** The lock given back, its token kept; undefined: it is somebody else's, nothing changes. */
export function decideUnlock(
  lock: AnalysisLock,
  request: { readonly owner: string; readonly token: number | null },
  nowUs: number,
): AnalysisLock | undefined {
  const decision = decideRelease(recordOf(lock, 0), { ...request, acceptMs: 0 }, nowUs);
  return decision && lockOf(decision.record, nowUs);
}

/** An owner whose end cannot be read: a worker that is alive is the likelier truth while it was heard of lately. */
export function isMalformed({ owner, endUs }: AnalysisLock): boolean {
  return owner !== undefined && endUs === undefined;
}

/** Until when the lock is in force. A malformed end lies one TTL after the last heartbeat, if there was one. */
export function endOf({ endUs, heartbeatUs }: AnalysisLock, ttlMs: number): number {
  return endUs ?? (heartbeatUs === undefined ? 0 : heartbeatUs + ttlMs * 1000);
}

function recordOf(lock: AnalysisLock, ttlMs: number): LeaseRecord {
  const { owner, token } = lock;
  if (owner === undefined) return { ...emptyRecord, token };
  return { token, holders: [{ owner, token, endUs: endOf(lock, ttlMs) }], line: [] };
}

function lockOf({ token, holders }: LeaseRecord, nowUs: number): AnalysisLock {
  const [holder] = holders;
  if (!holder) return { owner: undefined, endUs: undefined, heartbeatUs: undefined, token };
  return { owner: holder.owner, endUs: holder.endUs, heartbeatUs: nowUs, token: holder.token };
}

function refusal(holder: Holder, nowUs: number): LockDecision {
  return { granted: false, holder: holder.owner, remainingMs: Math.max(0, (holder.endUs - nowUs) / 1000) };
}
