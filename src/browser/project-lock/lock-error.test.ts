import { expect, it } from 'vitest';
import { lockError } from './lock-error.ts';
import { ProjectLockError, type ProjectLockErrorCode } from './project-lock-error.ts';

const retryable: Readonly<Record<ProjectLockErrorCode, boolean>> = {
  'web-lock-unsupported': true,
  'acquire-denied': true,
  'acquire-timeout': false,
  'web-lock-aborted': false,
  'fallback-conflict': true,
  'record-busy': true,
  'fallback-open-failed': false,
  'fallback-read-failed': true,
  'fallback-write-failed': true,
  'lease-mismatch': false,
  'lease-expired': false,
  'lease-stale': false,
  'renew-failed': true,
  'release-failed': true,
};

it.each(Object.entries(retryable) as [ProjectLockErrorCode, boolean][])('%s: retryable %s', (code, again) => {
  const cause = new DOMException('why', 'AbortError');
  const error = lockError(code, cause);
  expect(error).toBeInstanceOf(ProjectLockError);
  expect(error).toMatchObject({ name: 'ProjectLockError', code, retryable: again, cause });
  // What it is about, what happened, and what to do next.
  expect(error.message).toMatch(new RegExp(`^project/\\.lock: ${code}; .+\\.$`));
});

it('says when there is no point in trying again any more', () => {
  expect(lockError('renew-failed', undefined, false)).toMatchObject({ retryable: false });
  expect('cause' in lockError('lease-stale')).toBe(false);
});
