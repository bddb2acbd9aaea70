import { assembleProjectLock } from './assemble-project-lock.ts';
import { createPageKeeper } from './page-keeper.ts';
import type { CreateProjectLockOptions, ProjectLock } from './project-lock.ts';

/** A project lock over the browser's own parts, or over those given. One per tab. */
export function createProjectLock(options: CreateProjectLockOptions = {}): ProjectLock {
  return assembleProjectLock(options, createPageKeeper);
}
