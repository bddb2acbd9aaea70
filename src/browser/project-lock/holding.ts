/**
 * What this tab holds, and until when it may believe so. The deadline counts from when the request was sent, on the
 * monotonic clock; the wall clock must be before the record's end as well, because the other one stands still while
 * some machines sleep. Both only ever make the tab stop sooner: what a save needs is the comparison in the mutex.
 */
import type { Clock, Timer } from '../../core/ports.ts';
import { lockError } from './lock-error.ts';
import type { LockRecord } from './lock-record.ts';
import type { LockStore } from './lock-store.ts';
import type { ProjectLockAcquireOptions, ProjectLockAcquireResult } from './project-lock.ts';
import type { ProjectLockError, ProjectLockErrorCode } from './project-lock-error.ts';
import type { ProjectLockLease } from './project-lock-lease.ts';
import type { BeatPlan, ReportAttempt } from './record-keeper.ts';
import type { WorkerKeeper } from './worker-keeper.ts';

export interface Held {
  readonly lease: ProjectLockLease;
  plan: BeatPlan;
  /** What an explicit renewal changes: until it is through, the record may still show it. */
  lastTtlMs?: number;
  readonly abort: AbortController;
  readonly letGo: () => void;
}

export type Loss = 'lease-expired' | 'lease-stale' | 'renew-failed' | 'stolen' | 'page-cached';

export interface HoldOptions extends ProjectLockAcquireOptions {
  /** @default ttl − 5000, or half of a short TTL */
  readonly renewIntervalMs?: number;
}

export interface Holding {
  held(): Held | undefined;
  /** Granted: from now on it is ours, until told otherwise. */
  hold(record: LockRecord, sentMs: number, options: HoldOptions, letGo: () => void): ProjectLockAcquireResult;
  isHeld(lease: ProjectLockLease): boolean;
  /** The right is gone: everything is let go, the signal aborts, read-only is entered. */
  lose(loss: Loss): void;
  /** For a release: from now on nothing is held here. */
  takeBack(): Held | undefined;
  readonly onReport: ReportAttempt;
}

/** Stop this long before the record ends. */
const marginMs = 1000;

/** `doubt`: renewing failed twice in a row. */
export function createHolding(
  clock: Clock,
  { emit, fail, move, degrade }: LockStore,
  { ask }: WorkerKeeper,
  doubt: () => void,
): Holding {
  let held: { -readonly [Part in keyof Held]: Held[Part] } | undefined;
  let deadlineMs = 0;
  let timer: Timer | undefined;
  let failure: ProjectLockError | undefined;

  function keep(mine: NonNullable<typeof held>, record: LockRecord, sentMs: number): void {
    const { ownerId, strategy, acquiredAt, expiresAt, ttlMs, first: token } = record;
    const leaseId = record.leaseId as string;
    const viaFallback = strategy === 'file-lock';
    mine.lease = { leaseId, ownerId, strategy, viaFallback, acquiredAt, expiresAt, token };
    mine.plan = { ...mine.plan, leaseId, token, ttlMs };
    held = mine;
    failure = undefined;
    deadlineMs = sentMs + ttlMs - Math.min(marginMs, ttlMs / 10);
    timer?.cancel();
    // A timer may be a fraction of a millisecond early.
    timer = clock.after(deadlineMs - clock.monotonicMs() + 1, () => isHeld(mine.lease));
  }
  function isHeld({ leaseId }: ProjectLockLease): boolean {
    if (held?.lease.leaseId !== leaseId) return false;
    const inTime = clock.monotonicMs() < deadlineMs;
    if (inTime && clock.wallMs() < held.lease.expiresAt) return true;
    // Only the wall clock is past the end: it was set, or the machine slept. The heartbeat looks at the record.
    if (!inTime || !held.plan.everyMs) lose(failure ? 'renew-failed' : 'lease-expired');
    return false;
  }
  function takeBack(): Held | undefined {
    const had = held;
    held = undefined;
    timer?.cancel();
    if (had) void ask('beat', undefined);
    return had;
  }
  function lose(reason: Loss): void {
    const had = takeBack();
    if (!had) return;
    const { lease } = had;
    const code: ProjectLockErrorCode = reason === 'stolen' || reason === 'page-cached' ? 'lease-stale' : reason;
    const lastError = lockError(code, failure?.cause, false);
    had.letGo();
    had.abort.abort(lastError);
    if (reason === 'lease-expired') emit({ type: 'lock:expired', lease });
    else if (reason !== 'renew-failed')
      emit({ type: 'lock:lost', lease, reason: reason === 'lease-stale' ? 'stale' : reason });
    degrade('lost', { reason, lastError });
  }
  return {
    held: () => held,
    isHeld,
    lose,
    takeBack,
    hold(record, sentMs, { heartbeat = true, renewIntervalMs }, letGo) {
      const { ttlMs } = record;
      const everyMs = heartbeat ? (renewIntervalMs ?? Math.max(ttlMs - 5000, ttlMs / 2)) : 0;
      const mine = { plan: { everyMs }, abort: new AbortController(), letGo } as unknown as Held;
      keep(mine, record, sentMs);
      const { lease, plan } = mine;
      void ask('beat', plan);
      move('granted', { lease });
      emit({ type: 'lock:acquired', lease });
      return { lease, didFallback: lease.viaFallback };
    },
    onReport(leaseId, attempt, lateMs, startedMs, answer) {
      if (leaseId !== held?.lease.leaseId) return;
      if (!answer) {
        const { lease } = held;
        move('renew', { lease });
        emit({ type: 'lock:attempt', operation: 'renew', strategy: lease.strategy, attempt });
        if (lateMs > 1000) emit({ type: 'lock:warning', code: 'heartbeat-delayed' });
        return;
      }
      const [record, refusal, cause] = answer;
      if (refusal === 'lease-stale' || refusal === 'lease-expired') lose(refusal);
      else if (refusal) {
        failure = fail('renew', lockError('renew-failed', lockError(refusal, cause)));
        if (attempt === 2) doubt();
        if (attempt === 3) lose('renew-failed');
      } else {
        keep(held, record as LockRecord, startedMs);
        const { lease, plan } = held;
        move('renewed', { lease });
        emit({ type: 'lock:renew-scheduled', lease, nextHeartbeatInMs: plan.everyMs });
        emit({ type: 'lock:renewed', lease });
      }
    },
  };
}
