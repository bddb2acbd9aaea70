/**
 * The ways in. One attempt asks for the gate (the Web Lock) and then for the record; where there is no gate, or it does
 * not come in time, for the record alone, with a presence lock of its own where Web Locks exist. Failed attempts are
 * repeated after a delay that doubles, or as soon as another tab says that it has let go.
 */
import { requestGate } from './gate.ts';
import type { HoldOptions } from './holding.ts';
import { lockError } from './lock-error.ts';
import type { ProjectLockAcquireResult } from './project-lock.ts';
import { ProjectLockError } from './project-lock-error.ts';
import type { ReadonlyReason } from './project-lock-event.ts';
import type { RecordAnswer } from './record-mutex.ts';
import type { AcquireQuery } from './record-rules.ts';
import { gateName, type TabLock } from './tab-lock.ts';
import { uuid } from './uuid.ts';

/** What the attempts of one acquire remember. */
interface Attempts {
  engaged?: boolean;
  degraded?: boolean;
  rebuild?: boolean;
}

/** Acquires, with a block of tokens for a session. */
export async function acquireLock(tab: TabLock, options: HoldOptions, block = 1): Promise<ProjectLockAcquireResult> {
  const { clock, channel, keeper, emit, move, degrade } = tab;
  const { signal, retryPolicy } = options;
  const { initialDelayMs = 500, multiplier = 2, maxDelayMs = 5000, maxAttempts = 3 } = retryPolicy ?? {};
  const attempts: Attempts = {};
  const entered = move('acquire');
  // The worker starts while we wait for the gate.
  keeper.resume();
  for (let attempt = 1; ; attempt++) {
    let error = entered ? undefined : lockError('lease-mismatch');
    try {
      if (signal?.aborted) throw lockError('web-lock-aborted', signal.reason);
      if (entered) return await tryOnce(tab, options, block, attempt, attempts);
    } catch (thrown) {
      error = thrown instanceof ProjectLockError ? thrown : lockError('fallback-open-failed', thrown);
    }
    if (!error) continue;
    emit({ type: 'lock:error', operation: 'acquire', error });
    const { code, retryable } = error;
    // Re-entry leaves the rightful holder alone.
    if (!entered) throw error;
    if (code === 'web-lock-aborted') {
      move('aborted');
      throw error;
    }
    if (code === 'fallback-conflict' && !attempts.degraded) {
      attempts.degraded = true;
      emit({ type: 'lock:warning', code: 'fallback-degraded' });
    }
    if (!retryable || attempt >= maxAttempts) {
      // A single attempt that met a holder says so; several that failed are a time-out.
      if (retryable && (attempt > 1 || code !== 'fallback-conflict')) error = lockError('acquire-timeout', error);
      degrade('refused', { reason: error.code as ReadonlyReason, lastError: error });
      throw error;
    }
    const delayMs = Math.min(maxDelayMs, initialDelayMs * multiplier ** (attempt - 1));
    emit({ type: 'lock:waiting', attempt, delayMs });
    await new Promise<void>((resolve) => {
      const done = (): void => {
        timer.cancel();
        stop();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = clock.after(delayMs, done);
      const stop = channel.listen(({ kind }) => kind === 'freed' && done());
      signal?.addEventListener('abort', done);
    });
  }
}

async function tryOnce(
  tab: TabLock,
  options: HoldOptions,
  block: number,
  attempt: number,
  attempts: Attempts,
): Promise<ProjectLockAcquireResult> {
  const { clock, keeper, emit, hold } = tab;
  const { signal, maxWaitMs = 5000, ttlMillis } = options;
  const enter = async (base: AcquireQuery, letGo: () => void): Promise<ProjectLockAcquireResult> => {
    const sentMs = clock.monotonicMs();
    const { record, refusal, cause } = await askRecord(tab, base, attempts.rebuild);
    if (record && !refusal) {
      if (!signal?.aborted) return hold(record, sentMs, options, letGo);
      // Granted, but nobody wants it any more: it goes back before anybody is told.
      await keeper.release({ leaseId: base.leaseId, token: record.first }, false);
    }
    letGo();
    attempts.rebuild ||= refusal === 'fallback-read-failed';
    throw lockError(refusal ?? 'web-lock-aborted', cause);
  };
  if (tab.locks) {
    emit({ type: 'lock:attempt', operation: 'acquire', strategy: 'web-lock', attempt });
    const gate = await requestGate(tab, gateName, { maxWaitMs, signal });
    if (typeof gate === 'function') return enter(acquireQuery(tab, true, ttlMillis, block), gate);
    const { code } = gate;
    if (code === 'web-lock-aborted') throw gate;
    if (code === 'web-lock-unsupported') tab.locks = null;
    if (code === 'acquire-denied') emit({ type: 'lock:error', operation: 'acquire', error: gate });
  }
  if (!attempts.engaged) emit({ type: 'lock:warning', code: 'fallback-engaged' });
  attempts.engaged = true;
  emit({ type: 'lock:attempt', operation: 'acquire', strategy: 'file-lock', attempt });
  const base = acquireQuery(tab, false, ttlMillis, block);
  // Taken before the record is written: whoever sees the record must find the lock taken.
  const presence =
    tab.locks && (await requestGate(tab, `${gateName}:${base.leaseId}`, { web: { ifAvailable: true }, maxWaitMs }));
  return typeof presence === 'function' ? enter({ ...base, presence: true }, presence) : enter(base, () => {});
}

/** A query for the record, with the gate in hand or not. */
export function acquireQuery(
  { random, ownerId }: TabLock,
  gate: boolean,
  ttlMs: number = gate ? 25_000 : 30_000,
  block = 1,
): AcquireQuery {
  const strategy = gate ? 'web-lock' : 'file-lock';
  return { leaseId: uuid(random), ownerId, strategy, presence: false, ttlMs: checkTtlMs(ttlMs), block, gate };
}

/** Asks for the record; a holder whose tab is certainly gone does not count. */
export async function askRecord(tab: TabLock, base: AcquireQuery, rebuild = false): Promise<RecordAnswer> {
  const { keeper, clock, channel, locks, seen } = tab;
  const query = { ...base, rebuild, seen: { n: seen.n, ms: clock.monotonicMs() - seen.sinceMs } };
  const answer = await keeper.acquire(query);
  const { record, refusal } = answer;
  if (refusal !== 'fallback-conflict' || !record) return answer;
  const { leaseId: gone, n } = record;
  // Whoever gets the presence lock of a holder knows that the holder's tab is no more.
  const free = record.presence && locks?.request(`${gateName}:${gone}`, { ifAvailable: true }, (lock) => !!lock);
  if (await Promise.resolve(free).catch(() => false)) return keeper.acquire({ ...query, gone });
  if (seen.n !== n) tab.seen = { n, sinceMs: clock.monotonicMs() };
  channel.post({ kind: 'want' });
  return answer;
}

/** The record keeps whole milliseconds, and no lease outlives a day by itself. */
export function checkTtlMs(ttlMs: number): number {
  if (ttlMs >= 1000 && ttlMs <= 86_400_000) return Math.round(ttlMs);
  throw new RangeError(`A TTL of ${ttlMs} ms is not between 1 s and 1 day.`);
}
