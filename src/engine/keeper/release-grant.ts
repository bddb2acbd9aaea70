import { LeaseError } from '../../core/errors.ts';
import type { Grant } from './grant.ts';
import type { KeeperContext } from './keeper-context.ts';

/**
 * Gives a grant back to the store. Never throws: a release must not mask what the work itself threw, and a release
 * that fails only means that the lease ends with its TTL.
 *
 * @param heldSinceMs - of the lease that ends with it, if there was one: then its end is told
 * @param onEnd - called when the store has answered, or is not waited for any more
 */
export function releaseGrant(
  context: KeeperContext,
  grant: Grant,
  token: number,
  heldSinceMs?: number,
  onEnd?: () => void,
): Promise<boolean> {
  const { clock, store, acceptMs } = context;
  const { key, owner, lastToken: last, share, times, handedOver } = grant;
  grant.end();
  return new Promise((resolve) => {
    let asked: Promise<boolean>;
    try {
      const request = { key, owner, token: last, acceptMs, handedOver };
      asked = store.release(share ? { ...request, share } : request);
    } catch (error) {
      asked = Promise.reject(error);
    }
    context.calls.watch(asked, clock.monotonicMs() + times.renewDeadlineMs, (answer) => {
      if (answer.kind === 'answered') {
        if (answer.value && heldSinceMs !== undefined) tellReleased(context, key, token, heldSinceMs);
      } else {
        const cause = answer.kind === 'failed' ? answer.error : silentStore(key);
        context.emit({ type: 'release-failed', key, token, cause });
      }
      resolve(answer.kind === 'answered' && answer.value);
      onEnd?.();
    });
  });
}

export function tellReleased(context: KeeperContext, key: string, token: number, heldSinceMs: number): void {
  if (!context.isHeard()) return;
  context.emit({ type: 'released', key, token, heldMs: context.clock.monotonicMs() - heldSinceMs });
}

function silentStore(key: string): LeaseError {
  return new LeaseError(`The store did not answer the release of "${key}"; it ends with its TTL.`, {
    code: 'store-unavailable',
    retryable: true,
    key,
  });
}
