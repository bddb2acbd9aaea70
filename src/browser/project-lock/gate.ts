import type { Timer } from '../../core/ports.ts';
import { lockError } from './lock-error.ts';
import type { WebLockOptions } from './ports.ts';
import type { ProjectLockError } from './project-lock-error.ts';
import type { TabLock } from './tab-lock.ts';

/** Often enough that a holder in the back/forward cache is thrown out of it within a second. */
const nagMs = 250;

/**
 * Asks for a Web Lock and keeps it until the function it resolves with is called. While it waits, other tabs are told,
 * and `query` is called, which evicts a holder from the back/forward cache. If the browser takes the lock away later
 * (stolen, or the page was cached), the right is lost.
 */
export function requestGate(
  tab: TabLock,
  name: string,
  maxWaitMs = 5000,
  signal?: AbortSignal,
  web?: WebLockOptions,
): Promise<(() => void) | ProjectLockError> {
  const { clock, channel, lose } = tab;
  return new Promise((answer) => {
    const controller = new AbortController();
    let held = false;
    let over = false;
    const settle = (result: (() => void) | ProjectLockError): void => {
      limit.cancel();
      nag?.cancel();
      signal?.removeEventListener('abort', onAbort);
      answer(result);
    };
    const giveUp = (error: ProjectLockError): void => {
      over = true;
      settle(error);
      controller.abort();
    };
    const onAbort = (): void => giveUp(lockError('web-lock-aborted', signal?.reason));
    const wait = (): void => {
      nag = clock.after(nagMs, () => {
        channel.post({ kind: 'want' });
        tab.locks?.query().catch(() => undefined);
        wait();
      });
    };
    let nag: Timer | undefined;
    const limit = clock.after(maxWaitMs, () => giveUp(lockError('acquire-timeout')));
    if (!web) wait();
    signal?.addEventListener('abort', onAbort);
    Promise.resolve(
      // A signal may not go together with `steal` or `ifAvailable`.
      tab.locks?.request(name, web ?? { signal: controller.signal }, (lock) => {
        if (over) return undefined;
        if (!lock) return settle(lockError('acquire-denied'));
        held = true;
        return new Promise<void>((done) =>
          settle(() => {
            held = false;
            done();
          }),
        );
      }),
    ).catch((cause: unknown) => {
      const unsupported = /NotSupported|Security/.test(Object(cause).name);
      settle(lockError(unsupported ? 'web-lock-unsupported' : 'acquire-denied', cause));
      if (held) lose('stolen');
    });
  });
}
