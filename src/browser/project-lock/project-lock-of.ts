import type { ProjectLock } from './project-lock.ts';
import { saveLockOf } from './save-lock-of.ts';
import { type TabLock, tabLocks } from './tab-lock.ts';
import { withProjectLock } from './with-project-lock.ts';

/** A tab's lock as an object. */
export function projectLockOf(tab: TabLock): ProjectLock {
  const lock: ProjectLock = {
    ...saveLockOf(tab),
    ownerId: tab.ownerId,
    renewProjectLock: async ({ lease, extendByMs }) => (await tab.rare()).renew(tab, lease, extendByMs),
    withProjectLock: (options = {}, work) => withProjectLock(tab, options, work),
    subscribeLockEvents: tab.subscribeLockEvents,
    close() {
      tab.stop();
      tab.takeBack()?.letGo();
      tab.keeper.stop();
      tab.channel?.close();
    },
  };
  tabLocks.set(lock, tab);
  return lock;
}
