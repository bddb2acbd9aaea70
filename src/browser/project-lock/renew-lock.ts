import type { ProjectLockError } from './project-lock-error.ts';
import type { ProjectLockLease } from './project-lock-lease.ts';
import type { TabLock } from './tab-lock.ts';

/** Renews now, and lets the heartbeat count from here. Loaded only when needed: the heartbeat is the worker's. */
export async function renewLock(tab: TabLock, lease: ProjectLockLease, extendByMs?: number): Promise<ProjectLockLease> {
  const { keeper, held, lockError } = tab;
  const mine = held();
  if (!tab.isHeld(lease) || !mine) throw refuseLease(tab, lease);
  const answer = await keeper.ask('renew', mine.plan, extendByMs ? tab.checkTtlMs(extendByMs) : mine.plan.ttlMs);
  if (held() !== mine) throw refuseLease(tab, lease);
  const { refusal, cause } = answer;
  // A keeper that cannot be loaded says so in its own words.
  tab.settle(refusal === 'fallback-open-failed' ? { ...answer, refusal: 'renew-failed' } : answer);
  if (refusal) throw lockError(refusal, cause, false);
  void keeper.ask('beat', mine.plan);
  return mine.lease;
}

/** Tells why this lease cannot be used. */
export function refuseLease({ clock, ownerId, fail, lockError }: TabLock, lease: ProjectLockLease): ProjectLockError {
  const over = clock.wallMs() < lease.expiresAt ? 'lease-stale' : 'lease-expired';
  return fail('renew', lockError(lease.ownerId === ownerId ? over : 'lease-mismatch'));
}
