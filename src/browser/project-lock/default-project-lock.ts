/** The lock of this tab over the real browser, made on first use, and the five functions bound to it. */
import { createProjectLock } from './create-project-lock.ts';
import type { ProjectLock } from './project-lock.ts';

let made: ProjectLock | undefined;

export function defaultProjectLock(): ProjectLock {
  made ??= createProjectLock();
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
