/**
 * The ways in. One attempt asks for the gate (the Web Lock) and then for the record; where there is no gate, or it does
 * not come in time, for the record alone, with a presence lock of its own where Web Locks exist. Failed attempts are
 * repeated after a delay that doubles, or as soon as another tab says that it has let go.
 */
import { type Gate, requestGate } from './gate.ts';
import { lockError } from './lock-error.ts';
import type { LockRecord } from './lock-record.ts';
import type { LockRetryPolicy, ProjectLockAcquireOptions, ProjectLockAcquireResult } from './project-lock.ts';
import { ProjectLockError } from './project-lock-error.ts';
import type { ReadonlyReason } from './project-lock-event.ts';
import type { RecordAnswer } from './record-mutex.ts';
import type { AcquireQuery } from './record-rules.ts';
import { gateName, type TabLock } from './tab-lock.ts';
import { uuid } from './uuid.ts';

export interface AcquireDetails {
  /** Tokens to reserve. @default 1 */
  readonly block?: number;
  /** @default ttl − 5000, or half of a short TTL */
  readonly renewIntervalMs?: number | undefined;
}

export interface AcquireLock {
  acquire(options: ProjectLockAcquireOptions, details?: AcquireDetails): Promise<ProjectLockAcquireResult>;
  /** Asks for the record, with the gate in hand or not; a holder that is certainly gone does not count. */
  ask(query: AcquireQuery): Promise<RecordAnswer>;
  /** A query for the record. */
  query(gate: boolean, ttlMillis: number | undefined, block?: number): AcquireQuery;
}

const defaultPolicy: LockRetryPolicy = { initialDelayMs: 500, multiplier: 2, maxDelayMs: 5000, maxAttempts: 3 };

export function createAcquireLock(tab: TabLock): AcquireLock {
  const { clock, store, keeper, channel, holding } = tab;
  let seen: { readonly n: number; readonly sinceMs: number } | undefined;

  const query: AcquireLock['query'] = (gate, ttlMillis, block = 1) => ({
    leaseId: uuid(tab.random),
    ownerId: tab.ownerId,
    strategy: gate ? 'web-lock' : 'file-lock',
    presence: false,
    ttlMs: checkTtlMs(ttlMillis ?? (gate ? 25_000 : 30_000)),
    block,
    gate,
  });
  const ask: AcquireLock['ask'] = async (query) => {
    const answer = await keeper.acquire(
      seen ? { ...query, seen: { n: seen.n, ms: clock.monotonicMs() - seen.sinceMs } } : query,
    );
    const { record } = answer;
    if (answer.refusal !== 'fallback-conflict' || !record) return answer;
    if (await isGone(record)) return keeper.acquire({ ...query, gone: record.leaseId });
    if (seen?.n !== record.n) seen = { n: record.n, sinceMs: clock.monotonicMs() };
    channel.post({ kind: 'want' });
    return answer;
  };
  /** Whoever gets the presence lock of a holder knows that the holder's tab is no more. */
  const isGone = async ({ presence, leaseId }: LockRecord): Promise<boolean> =>
    !!tab.locks &&
    presence &&
    tab.locks.request(`${gateName}:${leaseId}`, { ifAvailable: true }, (lock) => !!lock).catch(() => false);

  async function attempt(
    number: number,
    options: ProjectLockAcquireOptions,
    { block, renewIntervalMs }: AcquireDetails,
    once: { engaged?: boolean; rebuild?: boolean },
  ): Promise<ProjectLockAcquireResult> {
    const { signal, maxWaitMs = 5000, ttlMillis } = options;
    const enter = async (base: AcquireQuery, gate: Gate | undefined): Promise<ProjectLockAcquireResult> => {
      const sentMs = clock.monotonicMs();
      const { record, refusal, cause } = await ask(once.rebuild ? { ...base, rebuild: true } : base);
      if (!refusal && record && !signal?.aborted) {
        const everyMs = heartbeatEveryMs(options, base.ttlMs, renewIntervalMs);
        const lease = holding.hold(record, sentMs, everyMs, () => gate?.letGo());
        return { lease, didFallback: lease.viaFallback };
      }
      // Granted, but nobody wants it any more: give it back before anybody is told.
      if (!refusal && record) await keeper.release({ leaseId: base.leaseId, token: record.first }, false);
      gate?.letGo();
      if (refusal === 'fallback-read-failed') once.rebuild = true;
      throw lockError(refusal ?? 'web-lock-aborted', cause);
    };
    if (tab.locks) {
      store.emit({ type: 'lock:attempt', operation: 'acquire', strategy: 'web-lock', attempt: number });
      const { locks } = tab;
      const gate = await requestGate({
        name: gateName,
        locks,
        clock,
        maxWaitMs,
        signal,
        whileWaiting() {
          channel.post({ kind: 'want' });
          locks.query().catch(() => undefined);
        },
        onLost: () => holding.lose('stolen'),
      });
      if ('letGo' in gate) return enter(query(true, ttlMillis, block), gate);
      const { refusal, cause } = gate;
      if (refusal === 'aborted') throw lockError('web-lock-aborted', signal?.reason);
      if (refusal === 'unsupported') tab.locks = null;
      if (refusal === 'denied')
        store.emit({ type: 'lock:error', operation: 'acquire', error: lockError('acquire-denied', cause) });
    }
    if (!once.engaged) store.emit({ type: 'lock:warning', code: 'fallback-engaged' });
    once.engaged = true;
    store.emit({ type: 'lock:attempt', operation: 'acquire', strategy: 'file-lock', attempt: number });
    const base = query(false, ttlMillis, block);
    // Before the record is written: whoever sees the record must find the lock taken.
    const presence =
      tab.locks &&
      (await requestGate({
        name: `${gateName}:${base.leaseId}`,
        locks: tab.locks,
        clock,
        options: { ifAvailable: true },
        maxWaitMs,
        onLost: () => holding.lose('stolen'),
      }));
    return presence && 'letGo' in presence ? enter({ ...base, presence: true }, presence) : enter(base, undefined);
  }

  /** Resolves after `ms`, when another tab let go, or when the caller gives up. */
  function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        timer.cancel();
        stop();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = clock.after(ms, done);
      const stop = channel.listen(({ kind }) => kind === 'freed' && done());
      signal?.addEventListener('abort', done);
    });
  }

  return {
    ask,
    query,
    async acquire(options, details = {}) {
      const { signal } = options;
      const policy = { ...defaultPolicy, ...options.retryPolicy };
      const once = {};
      let degraded = false;
      const fail = (error: ProjectLockError): void => store.emit({ type: 'lock:error', operation: 'acquire', error });
      if (!store.move('acquire')) {
        const error = lockError('lease-mismatch');
        fail(error);
        throw error;
      }
      for (let number = 1; ; number++) {
        let error: ProjectLockError;
        try {
          if (signal?.aborted) throw lockError('web-lock-aborted', signal.reason);
          return await attempt(number, options, details, once);
        } catch (thrown) {
          error = thrown instanceof ProjectLockError ? thrown : lockError('fallback-open-failed', thrown);
        }
        fail(error);
        const { code } = error;
        if (code === 'web-lock-aborted') {
          store.move('aborted');
          throw error;
        }
        if (code === 'fallback-conflict' && !degraded) {
          degraded = true;
          store.emit({ type: 'lock:warning', code: 'fallback-degraded' });
        }
        if (!error.retryable || number >= policy.maxAttempts) {
          // One attempt that met a holder says so; several that did are a time-out.
          const last =
            error.retryable && (number > 1 || code !== 'fallback-conflict')
              ? lockError('acquire-timeout', error)
              : error;
          store.degrade('refused', { reason: last.code as ReadonlyReason, lastError: last });
          throw last;
        }
        const delayMs = Math.min(policy.maxDelayMs, policy.initialDelayMs * policy.multiplier ** (number - 1));
        store.emit({ type: 'lock:waiting', attempt: number, delayMs });
        await wait(delayMs, signal);
      }
    },
  };
}

/** Time between two heartbeats: the next one comes 5 s before the end. 0: none. */
export function heartbeatEveryMs(
  { heartbeat = true }: ProjectLockAcquireOptions,
  ttlMs: number,
  renewIntervalMs = Math.max(ttlMs - 5000, ttlMs / 2),
): number {
  return heartbeat ? renewIntervalMs : 0;
}

/** The record keeps whole milliseconds, and no lease outlives a day by itself. */
export function checkTtlMs(ttlMs: number): number {
  if (ttlMs >= 1000 && ttlMs <= 86_400_000) return Math.round(ttlMs);
  throw new RangeError(`The project lock lasts from 1000 to 86400000 ms, not ${ttlMs}.`);
}
