import { acquireLock } from './acquire-lock.ts';
import { lockError } from './lock-error.ts';
import type { SaveLock } from './project-lock.ts';
import { releaseLock } from './release-lock.ts';
import type { TabLock } from './tab-lock.ts';

/** A tab's lock, as far as saving needs it. */
export function saveLockOf(tab: TabLock): SaveLock {
  const { keeper, isHeld, snapshot, subscribe } = tab;
  return {
    acquireProjectLock: (options = {}) => acquireLock(tab, options),
    releaseProjectLock: (options) => releaseLock(tab, options),
    isHeld,
    async commit(lease, work) {
      if (!isHeld(lease)) throw (await tab.rare()).refuse(tab, lease);
      const ticket = tab.newId();
      const [, refusal, cause] = await keeper.ask('enter', lease, ticket);
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
        void keeper.ask('leave', ticket);
      }
    },
    onTakeOverRequest(handler) {
      tab.onAsked = handler;
    },
    snapshot,
    subscribe,
  };
}
