import { acquireLock } from './acquire-lock.ts';
import { lockError } from './lock-error.ts';
import type { ProjectLock } from './project-lock.ts';
import { releaseLock } from './release-lock.ts';
import { type TabLock, tabLocks } from './tab-lock.ts';
import { withProjectLock } from './with-project-lock.ts';

/** A tab's lock as an object. */
export function projectLockOf(tab: TabLock): ProjectLock {
  const { keeper, isHeld } = tab;
  let lastTicket = 0;
  const lock: ProjectLock = {
    ownerId: tab.ownerId,
    acquireProjectLock: (options = {}) => acquireLock(tab, options),
    renewProjectLock: async ({ lease, extendByMs }) => (await tab.rare()).renewLock(tab, lease, extendByMs),
    releaseProjectLock: (options) => releaseLock(tab, options),
    withProjectLock: (options = {}, work) => withProjectLock(tab, options, work),
    subscribeLockEvents: tab.subscribeLockEvents,
    isHeld,
    async commit(lease, work) {
      if (!isHeld(lease)) throw (await tab.rare()).refuseLease(tab, lease);
      const ticket = ++lastTicket;
      const { refusal, cause } = await keeper.enter(lease, ticket);
      if (refusal === 'lease-stale' || refusal === 'lease-expired') tab.lose(refusal);
      if (refusal) throw lockError(refusal, cause);
      const controller = new AbortController();
      tab.commit = controller;
      try {
        // The right may have been lost on the way in, while the record still says that it is ours.
        if (!isHeld(lease)) throw lockError('lease-stale');
        return await work(controller.signal);
      } finally {
        tab.commit = undefined;
        void keeper.leave(ticket);
      }
    },
    onTakeOverRequest(handler) {
      tab.onAsked = handler;
    },
    snapshot: tab.snapshot,
    subscribe: tab.subscribe,
    close() {
      tab.stopWatching();
      tab.takeBack()?.letGo();
      keeper.stop();
      tab.channel.close();
    },
  };
  tabLocks.set(lock, tab);
  return lock;
}
