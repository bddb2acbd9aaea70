/**
 * Taking the right from another tab: ask, give it time to flush, and only when it keeps silent overrule it. The token
 * is raised in the record first (compare-and-swap on what was seen; the cool-down is kept in the record and so binds
 * all tabs), then the gate is stolen, then the record is looked at again: between the two somebody who waited with the
 * gate in hand may have taken it.
 */
import { askRecord } from './acquire-again.ts';
import { acquireLock } from './acquire-lock.ts';
import { acquireQuery } from './acquire-query.ts';
import { defaultProjectLock } from './default-project-lock.ts';
import { requestGate } from './gate.ts';
import { isLive } from './is-live.ts';
import { lockError } from './lock-error.ts';
import type { LockRecord } from './lock-record.ts';
import type { ProjectLock, TakeOverOptions, TakeOverResult } from './project-lock.ts';
import type { RecordAnswer } from './record-mutex.ts';
import type { AcquireQuery } from './record-rules.ts';
import { type TabLock, tabLocks } from './tab-lock.ts';

/**
 * Asks the holder to flush and release, waits `graceMs`, then takes the right away. Rejects with `acquire-denied` within
 * the cool-down after the last time, and when somebody else was quicker.
 */
export async function takeOverProjectLock(
  options: TakeOverOptions = {},
  lock: ProjectLock = defaultProjectLock(),
): Promise<TakeOverResult> {
  const tab = tabLocks.get(lock) as TabLock;
  const { clock, keeper, channel, emit, move, degrade } = tab;
  const { graceMs = 2000, ttlMillis } = options;
  const { look } = await tab.rare();
  const seen = await look(tab);
  // This tab's own lease: acquiring refuses that.
  if (!seen || tab.held() || !isLive(seen, clock.wallMs()))
    return { ...(await acquireLock(tab, options)), how: 'free' };
  if (await askToRelease(tab, seen.first, graceMs)) return { ...(await acquireLock(tab, options)), how: 'asked' };
  if (!move('acquire')) throw lockError('lease-mismatch');
  let letGo = (): void => {};
  let sentMs = clock.monotonicMs();
  const query = acquireQuery(tab, tab.locks ? 'web-lock' : 'file-lock', ttlMillis);
  let answer = await overrule(tab, query, seen, seen);
  if (!answer[1] && tab.locks) {
    const gate = await requestGate(tab, { steal: true });
    const { leaseId } = query;
    if (typeof gate !== 'function') {
      // A record by Web Lock without the Web Lock: the next one in line would overrun it.
      await keeper.ask('release', { leaseId, token: (answer[0] ?? seen).token });
      answer = [undefined, 'acquire-denied', gate];
    } else {
      letGo = gate;
      if ((await look(tab))?.leaseId !== leaseId) {
        sentMs = clock.monotonicMs();
        answer = await askRecord(tab, acquireQuery(tab, 'web-lock', ttlMillis));
      }
    }
  }
  const [record, refusal, cause] = answer;
  if (refusal || !record) {
    letGo();
    const error = lockError(refusal ?? 'acquire-denied', cause);
    emit({ type: 'lock:error', operation: 'acquire', error });
    degrade('refused', { reason: 'fallback-conflict', lastError: error });
    throw error;
  }
  channel?.postMessage({ kind: 'taken', token: seen.first });
  return { ...tab.hold(record, sentMs, options, letGo), how: 'stolen' };
}

/**
 * Raises the token over the holder that was asked. `found`: its record as it stands. The cool-down is kept in the record,
 * so that it binds every tab; a clock that went back must not keep the lock cool for ever.
 */
async function overrule(
  tab: TabLock,
  query: AcquireQuery,
  asked: LockRecord,
  found: LockRecord,
): Promise<RecordAnswer> {
  const { clock, keeper, coolDownMs = 10_000 } = tab;
  const waitMs = Math.ceil((found.stolenAt ?? 0) + coolDownMs - clock.wallMs());
  const denied = (cause: string): RecordAnswer => [found, 'acquire-denied', cause];
  if (found.token !== asked.token) return denied('The lock changed hands meanwhile.');
  if (waitMs > 0 && waitMs <= coolDownMs) return denied(`Cool-down: try again in ${waitMs} ms.`);
  const answer = await keeper.ask('acquire', { ...query, over: found.n, steal: true });
  const [record, refusal] = answer;
  // Renewed since it was looked at: the same holder, another record.
  return refusal === 'fallback-conflict' && record ? overrule(tab, query, asked, record) : answer;
}

/** True when the holder said that it has let go. */
function askToRelease({ clock, channel, listen }: TabLock, token: number, graceMs: number): Promise<boolean> {
  return new Promise((answer) => {
    const end = (freed: boolean): void => {
      timer.cancel();
      stop();
      answer(freed);
    };
    const timer = clock.after(graceMs, () => end(false));
    const stop = listen((message) => {
      if (message.kind === 'freed' && message.token === token) end(true);
    });
    channel?.postMessage({ kind: 'please', token });
  });
}
