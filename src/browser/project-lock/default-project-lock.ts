/** The five functions, bound to the lock of this tab over the real browser, and that lock as an object. */
import { acquireLock } from './acquire-lock.ts';
import { browserTabLock } from './browser-tab-lock.ts';
import type { ProjectLock } from './project-lock.ts';
import { projectLockOf } from './project-lock-of.ts';
import { releaseLock } from './release-lock.ts';
import { withProjectLock as withLock } from './with-project-lock.ts';

let made: ProjectLock | undefined;

export function defaultProjectLock(): ProjectLock {
  made ??= projectLockOf(browserTabLock());
  return made;
}

export const acquireProjectLock: ProjectLock['acquireProjectLock'] = (options = {}) =>
  acquireLock(browserTabLock(), options);
export const renewProjectLock: ProjectLock['renewProjectLock'] = async ({ lease, extendByMs }) => {
  const tab = browserTabLock();
  return (await tab.rare()).renew(tab, lease, extendByMs);
};
export const releaseProjectLock: ProjectLock['releaseProjectLock'] = (options) =>
  releaseLock(browserTabLock(), options);
export const withProjectLock: ProjectLock['withProjectLock'] = (options = {}, work) =>
  withLock(browserTabLock(), options, work);
export const subscribeLockEvents: ProjectLock['subscribeLockEvents'] = (listener) =>
  browserTabLock().subscribeLockEvents(listener);
