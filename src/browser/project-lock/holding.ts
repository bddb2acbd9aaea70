/**
 * What this tab holds, and until when it may believe so. The deadline counts from when the request was sent, on the
 * monotonic clock; the wall clock must be before the record's end as well, because the other one stands still while
 * some machines sleep. Both only ever make the tab stop sooner: what a save needs is the comparison in the mutex.
 */
import type { Clock } from '../../core/ports.ts';
import { lockError } from './lock-error.ts';
import type { LockRecord } from './lock-record.ts';
import type { LockStore } from './lock-store.ts';
import type { ProjectLockError, ProjectLockErrorCode } from './project-lock-error.ts';
import type { ReadonlyReason } from './project-lock-event.ts';
import type { ProjectLockLease } from './project-lock-lease.ts';
import type { BeatPlan, KeeperReport, RecordKeeper, RenewAnswer } from './record-keeper.ts';

export interface Held {
  readonly lease: ProjectLockLease;
  /** Last token of the block. */
  readonly lastToken: number;
  readonly plan: BeatPlan;
  readonly abort: AbortController;
  letGo(): void;
}

export type Loss = 'lease-expired' | 'stale' | 'stolen' | 'page-cached' | 'renew-failed';

export interface Holding {
  current(): Held | undefined;
  hold(record: LockRecord, sentMs: number, everyMs: number, letGo: () => void): ProjectLockLease;
  isHeld(lease: ProjectLockLease): boolean;
  /** The right is gone: everything is let go, the signal aborts, read-only is entered. */
  lose(loss: Loss): void;
  /** For a release: from now on nothing is held here. */
  takeBack(): Held | undefined;
  /** What a renewal came to. */
  settle(answer: RenewAnswer): void;
  onReport(report: KeeperReport): void;
}

/** Stop this long before the record ends. */
const marginMs = 1000;

export function createHolding(clock: Clock, store: LockStore, keeper: () => RecordKeeper): Holding {
  let held: (Held & { lease: ProjectLockLease; plan: BeatPlan }) | undefined;
  let deadlineMs = 0;
  let timer = { cancel(): void {} };
  let failure: ProjectLockError | undefined;

  function extend(sentMs: number): void {
    if (!held) return;
    const { ttlMs } = held.plan;
    deadlineMs = sentMs + ttlMs - Math.min(marginMs, ttlMs / 10);
    failure = undefined;
    timer.cancel();
    timer = clock.after(deadlineMs - clock.monotonicMs(), check);
  }
  function check(): void {
    if (held && clock.monotonicMs() >= deadlineMs) lose(failure ? 'renew-failed' : 'lease-expired');
    else if (held) timer = clock.after(deadlineMs - clock.monotonicMs(), check);
  }
  function takeBack(): Held | undefined {
    const had = held;
    held = undefined;
    timer.cancel();
    if (had) void keeper().beat(undefined);
    return had;
  }
  function lose(loss: Loss): void {
    const had = takeBack();
    if (!had) return;
    const { lease } = had;
    const reason: ReadonlyReason = loss === 'stale' ? 'lease-stale' : loss;
    const code: ProjectLockErrorCode = loss === 'lease-expired' || loss === 'renew-failed' ? loss : 'lease-stale';
    const lastError = failure && loss === 'renew-failed' ? lockError(code, failure.cause, false) : lockError(code);
    had.letGo();
    had.abort.abort(lastError);
    if (loss === 'lease-expired') store.emit({ type: 'lock:expired', lease });
    else if (loss !== 'renew-failed') store.emit({ type: 'lock:lost', lease, reason: loss });
    store.degrade('lost', { reason, lastError });
  }
  return {
    current: () => held,
    hold(record, sentMs, everyMs, letGo) {
      const { leaseId, ttlMs, first } = record as LockRecord & { readonly leaseId: string };
      const lease = leaseOf(record);
      const plan = { leaseId, token: first, ttlMs, everyMs };
      held = { lease, lastToken: record.token, plan, abort: new AbortController(), letGo };
      extend(sentMs);
      void keeper().beat(plan);
      store.move('granted', { lease });
      store.emit({ type: 'lock:acquired', lease });
      return lease;
    },
    isHeld(lease) {
      if (!held || held.lease.leaseId !== lease.leaseId) return false;
      const inTime = clock.monotonicMs() < deadlineMs;
      if (inTime && clock.wallMs() < held.lease.expiresAt) return true;
      // Only the wall clock is past the end: it was set, or the machine slept. The heartbeat looks at the record.
      if (!inTime || !held.plan.everyMs) lose(failure ? 'renew-failed' : 'lease-expired');
      return false;
    },
    lose,
    takeBack,
    settle({ refusal, record, startedMs }) {
      if (!held) return;
      if (refusal || !record) {
        lose(refusal === 'lease-expired' || refusal === 'renew-failed' ? refusal : 'stale');
        return;
      }
      const lease = leaseOf(record);
      held.lease = lease;
      held.plan = { ...held.plan, ttlMs: record.ttlMs };
      extend(startedMs);
      store.move('renewed', { lease });
      store.emit({ type: 'lock:renew-scheduled', lease, nextHeartbeatInMs: held.plan.everyMs });
      store.emit({ type: 'lock:renewed', lease });
    },
    onReport(report) {
      if (!held || report.leaseId !== held.lease.leaseId) return;
      const { lease } = held;
      if (report.kind === 'beat') this.settle(report.answer);
      else if (report.kind === 'attempt') {
        store.move('renew', { lease });
        store.emit({ type: 'lock:attempt', operation: 'renew', strategy: lease.strategy, attempt: report.attempt });
        if (report.lateMs > 1000) store.emit({ type: 'lock:warning', code: 'heartbeat-delayed' });
      } else {
        const { refusal = 'fallback-write-failed', cause } = report.answer;
        failure = lockError('renew-failed', lockError(refusal, cause));
        store.emit({ type: 'lock:error', operation: 'renew', error: failure });
      }
    },
  };
}

function leaseOf(record: LockRecord): ProjectLockLease {
  const { ownerId, strategy, acquiredAt, expiresAt } = record;
  return {
    leaseId: record.leaseId as string,
    ownerId,
    strategy,
    viaFallback: strategy === 'file-lock',
    acquiredAt,
    expiresAt,
    token: record.first,
  };
}
