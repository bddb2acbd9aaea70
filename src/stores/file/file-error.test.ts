import { describe, expect, it } from 'vitest';
import { LeaseError } from '../../core/errors.ts';
import { fileError } from './file-error.ts';

describe('fileError', () => {
  it.each([
    ['EACCES', 'store-refused', false],
    ['EPERM', 'store-refused', false],
    ['EROFS', 'store-refused', false],
    ['ENOTDIR', 'store-refused', false],
    ['ENOSPC', 'store-unavailable', true],
    ['EDQUOT', 'store-unavailable', true],
    ['ENOENT', 'store-unavailable', true],
    ['EIO', 'store-unavailable', true],
  ])('turns %s into %s with the path, the code and the next step', (code, expected, retryable) => {
    const cause = Object.assign(new Error('low level'), { code });
    const error = fileError(cause, '/var/leases', 'k');
    expect(error).toMatchObject({ code: expected, retryable, key: 'k', cause });
    expect(error.message).toMatch(new RegExp(`^"/var/leases" .+ \\(${code}\\)\\. .+\\.$`));
  });

  it('passes on what is clear already', () => {
    const error = new LeaseError('Clear.', { code: 'lost' });
    expect(fileError(error, '/x')).toBe(error);
  });
});
