import { ProjectLockError, type ProjectLockErrorCode } from './project-lock-error.ts';

/** Codes that trying again does not help. */
const final = /timeout|abort|open|^lease/;

/** A `ProjectLockError` with its sentence. `retryable` is given where something ends that could be tried again. */
export function lockError(
  code: ProjectLockErrorCode,
  cause?: unknown,
  retryable = !final.test(code),
): ProjectLockError {
  const next = retryable ? 'try again' : /^lease/.test(code) ? 'acquire again' : 'read only, or take over';
  return new ProjectLockError(`project/.lock: ${code}; ${next}.`, { code, retryable, cause });
}
