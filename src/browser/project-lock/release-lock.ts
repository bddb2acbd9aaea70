import type { Held } from './holding.ts';
import { lockError } from './lock-error.ts';
import type { ProjectLockReleaseOptions } from './project-lock.ts';
import type { ProjectLockError } from './project-lock-error.ts';
import type { TabLock } from './tab-lock.ts';

/**
 * Writes the tombstone, then lets the gate go. Releasing twice is harmless. What another holds, and a tombstone that
 * cannot be written at once, is the business of `release-again.ts`, which is loaded only then.
 */
export async function releaseLock(tab: TabLock, options: ProjectLockReleaseOptions): Promise<void> {
  const { lease, reason = 'completed', force } = options;
  const { emit, move } = tab;
  if (tab.held()?.lease.leaseId !== lease.leaseId) {
    if (force || lease.ownerId !== tab.ownerId) await (await tab.rare()).release(tab, options);
    return;
  }
  if (!force && !tab.isHeld(lease)) throw lockError('lease-expired');
  const { plan, abort, letGo } = tab.takeBack() as Held;
  // Whoever still works under this lease is told before anything else.
  abort.abort(lockError('lease-stale'));
  move('release', { lease });
  emit({ type: 'lock:release-requested', lease, reason });
  try {
    // A session's lease names one number of its block; the plan names them all.
    const answer = await tab.keeper.ask('release', plan, force);
    if (answer[1] && (await (await tab.rare()).release(tab, options, plan, answer))) return;
  } catch (error) {
    tab.degrade('release-failed', { reason: 'release-failed', lastError: error as ProjectLockError });
    throw error;
  } finally {
    letGo();
  }
  tab.channel?.postMessage({ kind: 'freed', token: plan.token });
  move('released');
  emit({ type: 'lock:released', leaseId: lease.leaseId });
}
