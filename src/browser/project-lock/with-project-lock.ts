import { acquireLock } from './acquire-lock.ts';
import type { Held } from './holding.ts';
import type { WithProjectLockOptions } from './project-lock.ts';
import type { ProjectLockLease } from './project-lock-lease.ts';
import { releaseLock } from './release-lock.ts';
import type { TabLock } from './tab-lock.ts';

/** Acquires, keeps the lease alive while `work` runs, releases. When the right is lost, rejects without waiting. */
export async function withProjectLock<T>(
  tab: TabLock,
  options: WithProjectLockOptions,
  work: (lease: ProjectLockLease, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { onReadonly } = options;
  const stop = tab.subscribe(() => {
    const { readonly } = tab.snapshot();
    if (readonly) onReadonly?.(readonly);
  });
  try {
    const { lease } = await acquireLock(tab, options);
    const { signal } = (tab.held() as Held).abort;
    try {
      return await Promise.race([
        work(lease, signal),
        new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      ]);
    } finally {
      // What the work came to stands first; a failed release is told as an event.
      await releaseLock(tab, { lease }).catch(() => undefined);
    }
  } finally {
    stop();
  }
}
