export { createProjectLock } from './create-project-lock.ts';
export {
  acquireProjectLock,
  defaultProjectLock,
  releaseProjectLock,
  renewProjectLock,
  subscribeLockEvents,
  withProjectLock,
} from './default-project-lock.ts';
export { type LockStep, lockStates, nextLockState } from './lock-state.ts';
export { logLevel } from './log-level.ts';
export { openProjectLockSession } from './open-project-lock-session.ts';
export type {
  Channel,
  OpenFiles,
  OpfsDirectory,
  OpfsFile,
  OpfsHandle,
  OpfsSnapshot,
  OpfsWritable,
  WebLockOptions,
  WebLocks,
} from './ports.ts';
export type {
  CreateProjectLockOptions,
  LockRetryPolicy,
  ProjectLock,
  ProjectLockAcquireOptions,
  ProjectLockAcquireResult,
  ProjectLockReleaseOptions,
  ProjectLockRenewOptions,
  ProjectLockSession,
  ProjectLockSessionOptions,
  ProjectLockSnapshot,
  ProjectLockState,
  TakeOverOptions,
  TakeOverResult,
  WithProjectLockOptions,
} from './project-lock.ts';
export { ProjectLockError, type ProjectLockErrorCode, type ProjectLockErrorOptions } from './project-lock-error.ts';
export type {
  ProjectLockEvent,
  ProjectLockEventListener,
  ProjectLockOperation,
  ProjectLockSubscription,
  ReadonlyInfo,
  ReadonlyReason,
  ReleaseReason,
} from './project-lock-event.ts';
export type { ProjectLockLease, ProjectLockSource, ProjectLockStrategy } from './project-lock-lease.ts';
export { takeOverProjectLock } from './take-over-project-lock.ts';
