/**
 * Taking the right from another tab: ask, give it time to flush, and only when it keeps silent overrule it. The token
 * is raised in the record first (compare-and-swap on what was seen; the cool-down is kept in the record and so binds
 * all tabs), then the gate is stolen, then the record is looked at again: between the two somebody who waited with the
 * gate in hand may have taken it.
 */
import { askRecord } from './acquire-again.ts';
import { acquireLock, acquireQuery } from './acquire-lock.ts';
import { defaultProjectLock } from './default-project-lock.ts';
import { requestGate } from './gate.ts';
import { lockError } from './lock-error.ts';
import type { ProjectLock, TakeOverOptions, TakeOverResult } from './project-lock.ts';
import { isLive } from './record-rules.ts';
import { gateName, type TabLock, tabLocks } from './tab-lock.ts';

/**
 * Asks the holder to flush and release, waits `graceMs`, then takes the right away. Rejects with `acquire-denied` within
 * the cool-down after the last time, and when somebody else was quicker.
 */
export async function takeOverProjectLock(
  options: TakeOverOptions = {},
  lock: ProjectLock = defaultProjectLock(),
): Promise<TakeOverResult> {
  const tab = tabLocks.get(lock) as TabLock;
  const { clock, keeper, channel, emit, move, degrade, coolDownMs = 10_000 } = tab;
  const { graceMs = 2000, ttlMillis } = options;
  const { record: seen } = await keeper.read();
  // This tab's own lease: acquiring refuses that.
  if (!seen || tab.held() || !isLive(seen, clock.wallMs()))
    return { ...(await acquireLock(tab, options)), how: 'free' };
  if (await askToRelease(tab, seen.first, graceMs)) return { ...(await acquireLock(tab, options)), how: 'asked' };
  if (!move('acquire')) throw lockError('lease-mismatch');
  let letGo = (): void => {};
  let sentMs = clock.monotonicMs();
  const query = acquireQuery(tab, !!tab.locks, ttlMillis);
  let answer = await keeper.acquire({ ...query, steal: { token: seen.token, coolDownMs } });
  if (answer.refusal === 'acquire-denied' && answer.record) {
    const { token, stolenAt } = answer.record;
    const waitMs = Math.ceil(stolenAt + coolDownMs - clock.wallMs());
    const cause = token === seen.token ? `Cool-down: try again in ${waitMs} ms.` : 'The lock changed hands meanwhile.';
    answer = { ...answer, cause };
  }
  if (!answer.refusal && tab.locks) {
    // Not within the grace, which was the holder's: stealing takes as long as the browser needs.
    const gate = await requestGate(tab, gateName, undefined, undefined, { steal: true });
    const { leaseId } = query;
    if (typeof gate !== 'function') {
      // A record by Web Lock without the Web Lock: the next one in line would overrun it.
      await keeper.release({ leaseId, token: (answer.record ?? seen).token }, false);
      answer = { refusal: 'acquire-denied', cause: gate };
    } else {
      letGo = gate;
      if ((await keeper.read()).record?.leaseId !== leaseId) {
        sentMs = clock.monotonicMs();
        answer = await askRecord(tab, acquireQuery(tab, true, ttlMillis));
      }
    }
  }
  const { record, refusal, cause } = answer;
  if (refusal || !record) {
    letGo();
    const error = lockError(refusal ?? 'acquire-denied', cause);
    emit({ type: 'lock:error', operation: 'acquire', error });
    degrade('refused', { reason: 'fallback-conflict', lastError: error });
    throw error;
  }
  channel.post({ kind: 'taken', token: seen.first });
  return { ...tab.hold(record, sentMs, options, letGo), how: 'stolen' };
}

/** True when the holder said that it has let go. */
function askToRelease({ clock, channel }: TabLock, token: number, graceMs: number): Promise<boolean> {
  return new Promise((answer) => {
    const end = (freed: boolean): void => {
      timer.cancel();
      stop();
      answer(freed);
    };
    const timer = clock.after(graceMs, () => end(false));
    const stop = channel.listen((message) => {
      if (message.kind === 'freed' && message.token === token) end(true);
    });
    channel.post({ kind: 'please', token });
  });
}
