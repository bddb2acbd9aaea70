import { lockError } from './lock-error.ts';
import type { ProjectLockReleaseOptions } from './project-lock.ts';
import type { ProjectLockError } from './project-lock-error.ts';
import type { TabLock } from './tab-lock.ts';

/**
 * Writes the tombstone, then lets the gate go. A record that is another's by now means that the right was lost before.
 * Releasing twice is harmless.
 */
export async function releaseLock(
  tab: TabLock,
  { lease, reason = 'completed', force = false }: ProjectLockReleaseOptions,
): Promise<void> {
  const { keeper, channel, emit, fail, move, degrade } = tab;
  const wasHeld = tab.held()?.lease.leaseId === lease.leaseId;
  if (wasHeld && !force && !tab.isHeld(lease)) throw lockError('lease-expired');
  if (!wasHeld && !force) {
    if (lease.ownerId === tab.ownerId) return;
    throw fail('release', lockError('lease-mismatch'));
  }
  const held = wasHeld ? tab.takeBack() : undefined;
  // Whoever still works under this lease is told before anything else.
  held?.abort.abort(lockError('lease-stale'));
  if (wasHeld) move('release', { lease });
  emit({ type: 'lock:release-requested', lease, reason });
  // A session's lease names one number of its block; all of it goes back.
  const claim = { leaseId: lease.leaseId, token: held?.plan.token ?? lease.token };
  const answer = await keeper.release(claim, force);
  let { refusal } = answer;
  if (refusal && refusal !== 'lease-stale') {
    try {
      ({ refusal } = await (await tab.rare()).releaseAgain(tab, claim, force, answer));
    } catch (error) {
      held?.letGo();
      degrade('release-failed', { reason: 'release-failed', lastError: error as ProjectLockError });
      throw error;
    }
  }
  held?.letGo();
  if (refusal) {
    emit({ type: 'lock:lost', lease, reason: 'stale' });
    degrade('lost', { reason: 'lease-stale', lastError: lockError('lease-stale') });
    return;
  }
  channel.post({ kind: force && !wasHeld ? 'taken' : 'freed', token: claim.token });
  move('released');
  emit({ type: 'lock:released', leaseId: lease.leaseId });
}
