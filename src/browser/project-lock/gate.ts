import type { WebLockOptions } from './ports.ts';
import { type Gate, gateName, type TabLock } from './tab-lock.ts';

/**
 * Asks for a Web Lock, the gate or with a `suffix` one beside it, and keeps it until what it resolves with is called. If
 * the browser takes the lock away before that (stolen, or the page was cached), the right is lost.
 */
export function requestGate({ locks, lose }: TabLock, options: WebLockOptions, suffix = ''): Promise<Gate> {
  return new Promise((answer) => {
    let held = false;
    locks
      ?.request(gateName + suffix, options, (lock) => {
        if (!lock) return answer(undefined);
        held = true;
        return new Promise<void>((done) =>
          answer(() => {
            held = false;
            done();
          }),
        );
      })
      .catch((cause: Error) => {
        answer(cause);
        if (held) lose('stolen');
      });
  });
}
