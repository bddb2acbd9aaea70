import type { Timer } from '../../core/ports.ts';
import type { ProjectLockAcquireOptions } from './project-lock.ts';
import type { Gate, TabLock } from './tab-lock.ts';

/** Often enough that a holder in the back/forward cache is thrown out of it within a second. */
const nagMs = 250;

/**
 * Queues up for the gate. While it waits, other tabs are told, and `query` is called, which evicts a holder from the
 * back/forward cache. Loaded only when somebody has it.
 */
export function waitForGate(
  tab: TabLock,
  { maxWaitMs = 5000, signal }: ProjectLockAcquireOptions,
): Promise<NonNullable<Gate>> {
  const { clock, channel, error } = tab;
  return new Promise((answer) => {
    const controller = new AbortController();
    let over = false;
    const settle = (result: Gate): void => {
      if (over && typeof result === 'function') result();
      over = true;
      limit.cancel();
      nag.cancel();
      signal?.removeEventListener('abort', onAbort);
      // Whoever queues up is never told that it is not free.
      answer(result as NonNullable<Gate>);
    };
    const giveUp = (why: Error): void => {
      settle(why);
      controller.abort();
    };
    const onAbort = (): void => giveUp(error('web-lock-aborted', signal?.reason));
    const wait = (): Timer =>
      clock.after(nagMs, () => {
        channel?.postMessage({ kind: 'want' });
        tab.locks?.query().catch(() => undefined);
        nag = wait();
      });
    let nag = wait();
    const limit = clock.after(maxWaitMs, () => giveUp(error('acquire-timeout')));
    signal?.addEventListener('abort', onAbort);
    void tab.request(tab, { signal: controller.signal }).then(settle);
  });
}
