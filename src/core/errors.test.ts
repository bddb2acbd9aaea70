import { expect, it } from 'vitest';
import { LeaseError } from './errors.ts';

it('says by name what it is, keeps its cause, and is not to be tried again unless it says so', () => {
  const cause = new Error('refused');
  const error = new LeaseError('no', { code: 'store-unavailable', retryable: true, key: 'k', cause });
  expect(error).toMatchObject({ name: 'LeaseError', code: 'store-unavailable', retryable: true, key: 'k', cause });
  const bare = new LeaseError('no', { code: 'busy' });
  expect(bare.retryable).toBe(false);
  // Loggers print a cause that is there, even an undefined one.
  expect('cause' in bare).toBe(false);
});
