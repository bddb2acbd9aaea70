import { ProjectLockError, type ProjectLockErrorCode } from './project-lock-error.ts';

/** What each code means, whether trying again helps, and what to do next. */
const sentences: Readonly<Record<ProjectLockErrorCode, string>> = {
  'web-lock-unsupported': 'no Web Locks here; the file is used',
  'acquire-denied': 'it was refused; try again later',
  'acquire-timeout': 'another tab keeps it; read only, or take over',
  'web-lock-aborted': 'the caller gave up waiting',
  'fallback-conflict': 'another tab holds it; wait, or take over',
  'record-busy': 'another tab keeps .lock open; try again',
  'fallback-open-failed': '.lock cannot be opened; read only: allow storage for this site',
  'fallback-read-failed': '.lock is unreadable; the next attempt rebuilds it',
  'fallback-write-failed': '.lock cannot be written; free some storage',
  'lease-mismatch': 'this tab holds it already, or the lease is not its own; release first',
  'lease-expired': 'the lease is over; acquire again',
  'lease-stale': 'another tab holds it now; acquire again before you save',
  'renew-failed': 'the lease could not be renewed; acquire again',
  'release-failed': '.lock could not be written; the lease ends by itself',
};
const final = /timeout|abort|open|^lease/;

/** A `ProjectLockError` with its sentence. `retryable` only where something ends what could be tried again. */
export function lockError(
  code: ProjectLockErrorCode,
  cause?: unknown,
  retryable = !final.test(code),
): ProjectLockError {
  return new ProjectLockError(`Project lock: ${sentences[code]} (${code}).`, { code, retryable, cause });
}
