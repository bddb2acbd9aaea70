/**
 * Taking the right from another tab: ask, give it time to flush, and only when it keeps silent overrule it. The token
 * is raised in the record first (compare-and-swap on what was seen; the cool-down is kept in the record and so binds
 * all tabs), then the gate is stolen, then the record is looked at again: between the two somebody who waited with the
 * gate in hand may have taken it.
 */
import { type AcquireLock, heartbeatEveryMs } from './acquire-lock.ts';
import { requestGate } from './gate.ts';
import { lockError } from './lock-error.ts';
import type { TakeOverOptions, TakeOverResult } from './project-lock.ts';
import { isLive } from './record-rules.ts';
import { gateName, type TabLock } from './tab-lock.ts';

export async function takeOver(tab: TabLock, way: AcquireLock, options: TakeOverOptions = {}): Promise<TakeOverResult> {
  const { clock, store, keeper, channel, holding, coolDownMs } = tab;
  const { graceMs = 2000, ttlMillis } = options;
  if (holding.current()) throw lockError('lease-mismatch');
  const { record } = await keeper.read();
  if (!record || !isLive(record, clock.wallMs())) return { ...(await way.acquire(options)), how: 'free' };
  const freed = await new Promise<boolean>((answer) => {
    const end = (value: boolean): void => {
      timer.cancel();
      stop();
      answer(value);
    };
    const timer = clock.after(graceMs, () => end(false));
    const stop = channel.listen((message) => {
      if (message.kind === 'freed' && message.token === record.first) end(true);
    });
    channel.post({ kind: 'please', token: record.first });
  });
  if (freed) return { ...(await way.acquire(options)), how: 'asked' };
  if (!store.move('acquire')) throw lockError('lease-mismatch');
  let letGo = (): void => {};
  let sentMs = clock.monotonicMs();
  const base = way.query(!!tab.locks, ttlMillis);
  let answer = await keeper.acquire({ ...base, steal: { token: record.token, coolDownMs } });
  if (!answer.refusal && tab.locks) {
    const gate = await requestGate({
      name: gateName,
      locks: tab.locks,
      clock,
      options: { steal: true },
      maxWaitMs: graceMs,
      onLost: () => holding.lose('stolen'),
    });
    if ('letGo' in gate) letGo = gate.letGo;
    const look = await keeper.read();
    if (look.record?.leaseId !== base.leaseId) {
      sentMs = clock.monotonicMs();
      answer = await way.ask(way.query('letGo' in gate, ttlMillis));
    }
  }
  if (answer.refusal || !answer.record) {
    letGo();
    const error = lockError(answer.refusal ?? 'acquire-denied', answer.cause);
    store.emit({ type: 'lock:error', operation: 'acquire', error });
    store.degrade('refused', { reason: 'fallback-conflict', lastError: error });
    throw error;
  }
  channel.post({ kind: 'taken', token: record.first });
  const everyMs = heartbeatEveryMs(options, answer.record.ttlMs);
  const lease = holding.hold(answer.record, sentMs, everyMs, letGo);
  return { lease, didFallback: lease.viaFallback, how: 'stolen' };
}
