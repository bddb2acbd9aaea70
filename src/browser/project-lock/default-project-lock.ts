/** The lock of this tab over the real browser, made on first use, and the five functions bound to it. */
import { assembleProjectLock } from './assemble-project-lock.ts';
import type { ProjectLock } from './project-lock.ts';

let made: ProjectLock | undefined;

export function defaultProjectLock(): ProjectLock {
  // What keeps the record without a worker is loaded only where there is none.
  made ??= assembleProjectLock({}, async (...parts) => (await import('./page-keeper.ts')).createPageKeeper(...parts));
  return made;
}

export const acquireProjectLock: ProjectLock['acquireProjectLock'] = (options) =>
  defaultProjectLock().acquireProjectLock(options);
export const renewProjectLock: ProjectLock['renewProjectLock'] = (options) =>
  defaultProjectLock().renewProjectLock(options);
export const releaseProjectLock: ProjectLock['releaseProjectLock'] = (options) =>
  defaultProjectLock().releaseProjectLock(options);
export const withProjectLock: ProjectLock['withProjectLock'] = (options, work) =>
  defaultProjectLock().withProjectLock(options, work);
export const subscribeLockEvents: ProjectLock['subscribeLockEvents'] = (listener) =>
  defaultProjectLock().subscribeLockEvents(listener);
