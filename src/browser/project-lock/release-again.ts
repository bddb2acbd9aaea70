/** Releases that are not the usual one. Loaded only when needed. */
import type { ProjectLockReleaseOptions } from './project-lock.ts';
import type { ProjectLockLease } from './project-lock-lease.ts';
import type { RecordAnswer } from './record-mutex.ts';
import type { LeaseClaim } from './record-rules.ts';
import type { TabLock } from './tab-lock.ts';

/** Retries after 0.5, 1 and 2 s. */
const retryMs: readonly number[] = [500, 1000, 2000];

/**
 * Goes on after a release that was refused. Throws `release-failed` when it cannot be had. True: the record is
 * another's by now, so the right was lost before, and read-only has been entered.
 */
export async function releaseAgain(
  tab: TabLock,
  lease: ProjectLockLease,
  claim: LeaseClaim,
  force: boolean | undefined,
  first: RecordAnswer,
): Promise<boolean> {
  const { clock, keeper, emit, fail, lockError } = tab;
  let answer = first;
  for (let attempt = 0; answer.refusal; attempt++) {
    const { refusal, cause } = answer;
    if (refusal === 'lease-stale') {
      emit({ type: 'lock:lost', lease, reason: 'stale' });
      tab.degrade('lost', { reason: refusal, lastError: lockError(refusal) });
      return true;
    }
    const delayMs = retryMs[attempt];
    const error = fail('release', lockError('release-failed', lockError(refusal, cause), !!delayMs));
    if (!delayMs) throw error;
    await new Promise<void>((done) => clock.after(delayMs, done));
    answer = await keeper.ask('release', claim, force);
  }
  return false;
}

/** A lease that this tab does not hold: only by force. */
export async function releaseForeign(tab: TabLock, options: ProjectLockReleaseOptions): Promise<void> {
  const { emit, fail, lockError } = tab;
  const { lease, reason = 'completed', force } = options;
  const { leaseId, token } = lease;
  if (!force) throw fail('release', lockError('lease-mismatch'));
  emit({ type: 'lock:release-requested', lease, reason });
  await releaseAgain(tab, lease, lease, force, await tab.keeper.ask('release', lease, force));
  tab.channel?.postMessage({ kind: 'taken', token });
  emit({ type: 'lock:released', leaseId });
}
