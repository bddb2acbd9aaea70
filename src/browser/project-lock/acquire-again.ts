/**
 * The ways in when the usual one did not do: where there is no gate (the Web Lock), or it does not come in time, the
 * record alone is asked, with a presence lock of its own where Web Locks exist. Failed attempts are repeated after a
 * delay that doubles, or as soon as another tab says that it has let go. Loaded only when needed; what a page has
 * anyway comes by the tab, so that no bundler splits it off.
 */
import { acquireQuery } from './acquire-query.ts';
import type { HoldOptions } from './holding.ts';
import { isLive } from './is-live.ts';
import type { ProjectLockAcquireResult } from './project-lock.ts';
import type { ProjectLockError } from './project-lock-error.ts';
import type { ReadonlyReason } from './project-lock-event.ts';
import type { RecordAnswer } from './record-mutex.ts';
import type { AcquireQuery } from './record-rules.ts';
import type { Gate, TabLock } from './tab-lock.ts';
import { tokenFloor } from './token-floor.ts';
import { waitForGate } from './wait-for-gate.ts';

/** How far the usual way in went. */
interface FirstAttempt {
  readonly query?: AcquireQuery | undefined;
  readonly gate?: Gate;
  /** What the record said. */
  readonly answer?: RecordAnswer | undefined;
}

/** What the attempts of one acquire remember. */
interface Attempts {
  engaged?: boolean;
  degraded?: boolean;
  rebuild?: boolean;
}

/** Goes on with what the usual way in came to. The state is `acquiring`. */
export async function acquireAgain(
  tab: TabLock,
  options: HoldOptions,
  block: number,
  query?: AcquireQuery,
  gate?: Gate,
  answer?: RecordAnswer,
): Promise<ProjectLockAcquireResult> {
  const { clock, listen, emit, move, degrade, error: lockError } = tab;
  const { signal, retryPolicy } = options;
  const { initialDelayMs = 500, multiplier = 2, maxDelayMs = 5000, maxAttempts = 3 } = retryPolicy ?? {};
  const attempts: Attempts = {};
  for (let attempt = 1; ; attempt++) {
    let error: ProjectLockError;
    const soFar: FirstAttempt = attempt > 1 ? {} : { query, gate, answer };
    try {
      // With the gate in hand it is looked at again on the way, so that gate and record go back.
      if (signal?.aborted && typeof soFar.gate !== 'function') throw lockError('web-lock-aborted', signal.reason);
      return await tryOnce(tab, options, block, attempt, attempts, soFar);
    } catch (thrown) {
      error =
        (thrown as Error).name === 'ProjectLockError'
          ? (thrown as ProjectLockError)
          : lockError('fallback-open-failed', thrown);
    }
    tab.fail('acquire', error);
    const { code, retryable } = error;
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
      const stop = listen(({ kind }) => kind === 'freed' && done());
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
  first: FirstAttempt,
): Promise<ProjectLockAcquireResult> {
  const { clock, keeper, emit, request, error: lockError } = tab;
  const { signal, ttlMillis } = options;
  const enter = async (base: AcquireQuery, letGo: () => void): Promise<ProjectLockAcquireResult> => {
    const sentMs = clock.monotonicMs();
    const [record, refusal, cause] = await askRecord(tab, base, first.answer, attempts.rebuild);
    if (record && !refusal) {
      if (!signal?.aborted) return tab.hold(record, sentMs, options, letGo);
      // Granted, but nobody wants it any more: it goes back before anybody is told.
      await keeper.ask('release', { leaseId: base.leaseId, token: record.first });
    }
    letGo();
    attempts.rebuild ||= refusal === 'fallback-read-failed';
    throw lockError(refusal ?? 'web-lock-aborted', cause);
  };
  if (tab.locks) {
    const query = first.query ?? acquireQuery(tab, 'web-lock', ttlMillis, block);
    if (!first.query) emit({ type: 'lock:attempt', operation: 'acquire', strategy: 'web-lock', attempt });
    const gate = first.gate ?? (await waitForGate(tab, options));
    if (typeof gate === 'function') return enter(query, gate);
    const { code } = gate as Partial<ProjectLockError>;
    if (code === 'web-lock-aborted') throw gate;
    if (/NotSupported|Security/.test(gate.name)) tab.locks = null;
    // The browser's own error: a `code` of its is a number.
    else if (code !== 'acquire-timeout') tab.fail('acquire', lockError('acquire-denied', gate));
  }
  if (!attempts.engaged) emit({ type: 'lock:warning', code: 'fallback-engaged' });
  attempts.engaged = true;
  emit({ type: 'lock:attempt', operation: 'acquire', strategy: 'file-lock', attempt });
  const base = acquireQuery(tab, 'file-lock', ttlMillis, block);
  // Taken before the record is written: whoever sees the record must find the lock taken.
  const presence = tab.locks && (await request(tab, { ifAvailable: true }, `:${base.leaseId}`));
  return typeof presence === 'function' ? enter({ ...base, presence: true }, presence) : enter(base, () => {});
}

/**
 * Asks for the record. A holder whose tab is certainly gone does not count, nor one from the future that was watched for
 * its TTL. Where there was no record before, the files say which tokens were given out. `known`: what the record has said
 * already. `rebuild`: an unreadable one does not count either.
 */
export async function askRecord(
  tab: TabLock,
  query: AcquireQuery,
  known?: RecordAnswer,
  rebuild = false,
): Promise<RecordAnswer> {
  const { keeper, clock, channel } = tab;
  const answer = known ?? (await keeper.ask('acquire', query));
  const [record, refusal] = answer;
  if (!record || !(refusal === 'fallback-conflict' || (rebuild && refusal === 'fallback-read-failed'))) return answer;
  const { leaseId, n } = record;
  const nowMs = clock.monotonicMs();
  if (tab.seen?.n !== n) tab.seen = { n, sinceMs: nowMs };
  // Whoever gets the presence lock of a holder knows that the holder's tab is no more.
  const presence = record.presence && tab.locks && (await tab.request(tab, { ifAvailable: true }, `:${leaseId}`));
  const isGone = typeof presence === 'function';
  if (isGone) presence();
  if (isGone || !isLive(record, clock.wallMs(), nowMs - tab.seen.sinceMs))
    return keeper.ask('acquire', { ...query, over: n, floor: n > 0 ? 0 : await tokenFloor((await tab.rare()).files) });
  channel?.postMessage({ kind: 'want' });
  return answer;
}
