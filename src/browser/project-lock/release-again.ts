/** Releases that are not the usual one. Loaded only when needed. */
import type { ProjectLockReleaseOptions } from './project-lock.ts';
import type { RecordAnswer } from './record-mutex.ts';
import type { LeaseClaim } from './record-rules.ts';
import type { TabLock } from './tab-lock.ts';

/** Retries after 0.5, 1 and 2 s. */
const retryMs: readonly number[] = [500, 1000, 2000];

/**
 * Goes on after a release that was refused: `claim` and `first`. Throws `release-failed` when it cannot be had. True: the
 * record is another's by now, so the right was lost before, and read-only has been entered. Without a claim it is about a
 * lease that this tab does not hold: only by force.
 */
export async function releaseAgain(
  tab: TabLock,
  { lease, reason = 'completed', force }: ProjectLockReleaseOptions,
  claim?: LeaseClaim,
  first?: RecordAnswer,
): Promise<boolean> {
  const { clock, keeper, emit, fail, error: lockError } = tab;
  const { leaseId, token } = lease;
  if (!claim) {
    if (!force) throw fail('release', lockError('lease-mismatch'));
    emit({ type: 'lock:release-requested', lease, reason });
  }
  let [, refusal, cause] = first ?? (await keeper.ask('release', lease, force));
  for (let attempt = 0; refusal; attempt++) {
    if (refusal === 'lease-stale') {
      emit({ type: 'lock:lost', lease, reason: 'stale' });
      tab.degrade('lost', { reason: refusal, lastError: lockError(refusal) });
      return true;
    }
    const delayMs = retryMs[attempt];
    const error = fail('release', lockError('release-failed', lockError(refusal, cause), !!delayMs));
    if (!delayMs) throw error;
    await new Promise<void>((done) => clock.after(delayMs, done));
    [, refusal, cause] = await keeper.ask('release', claim ?? lease, force);
  }
  if (!claim) {
    tab.channel?.postMessage({ kind: 'taken', token });
    emit({ type: 'lock:released', leaseId });
  }
  return false;
}
