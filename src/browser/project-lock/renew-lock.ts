import { checkTtlMs } from './acquire-query.ts';
import type { ProjectLockError } from './project-lock-error.ts';
import type { ProjectLockLease } from './project-lock-lease.ts';
import type { TabLock } from './tab-lock.ts';

/** Renews now, and lets the heartbeat count from here. Loaded only when needed: the heartbeat is the worker's. */
export async function renewLock(tab: TabLock, lease: ProjectLockLease, extendByMs?: number): Promise<ProjectLockLease> {
  const { keeper, held } = tab;
  const mine = held();
  if (!tab.isHeld(lease) || !mine) throw refuseLease(tab, lease);
  mine.lastTtlMs = mine.plan.ttlMs;
  if (extendByMs) mine.plan = { ...mine.plan, ttlMs: checkTtlMs(extendByMs) };
  await new Promise<void>((over) => {
    const { unsubscribe } = tab.subscribeLockEvents(({ type }) => {
      if (!/renewed|readonly|release/.test(type)) return;
      unsubscribe();
      over();
    });
    void keeper.ask('beat', mine.plan, true).then((answer: unknown) => {
      // The keeper could not be loaded.
      if (answer) tab.lose('renew-failed');
    });
  });
  if (held() !== mine) throw tab.snapshot().readonly?.lastError ?? refuseLease(tab, lease);
  return mine.lease;
}

/** Tells why this lease cannot be used. */
export function refuseLease({ clock, ownerId, fail, error }: TabLock, lease: ProjectLockLease): ProjectLockError {
  const over = clock.wallMs() < lease.expiresAt ? 'lease-stale' : 'lease-expired';
  return fail('renew', error(lease.ownerId === ownerId ? over : 'lease-mismatch'));
}
