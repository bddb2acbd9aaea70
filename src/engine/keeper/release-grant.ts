import { LeaseError } from '../../core/errors.ts';
import type { Grant } from './grant.ts';
import type { KeeperContext } from './keeper-context.ts';

/**
 * Gives a grant back to the store. Never throws: a release must not mask what the work itself threw, and a release
 * that fails only means that the lease ends with its TTL.
 */
export async function releaseGrant(context: KeeperContext, grant: Grant, token: number): Promise<boolean> {
  const { key, owner, lastToken, share, times } = grant;
  grant.end();
  const asked = context.store.release({
    key,
    owner,
    token: lastToken,
    acceptMs: context.acceptMs,
    ...(share && { share }),
  });
  const answer = await context.calls.limit(asked, times.renewDeadlineMs);
  if (answer.kind === 'answered') return answer.value;
  const cause =
    answer.kind === 'failed'
      ? answer.error
      : new LeaseError(`The store did not answer the release of "${key}"; it ends with its TTL.`, {
          code: 'store-unavailable',
          retryable: true,
          key,
        });
  context.emit({ type: 'release-failed', key, token, cause });
  return false;
}
