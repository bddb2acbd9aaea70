import { LeaseError } from '../../core/errors.ts';

/** What the system said, as one sentence that names the path and the next step. */
export function fileError(error: unknown, path: string, key?: string): LeaseError {
  if (error instanceof LeaseError) return error;
  const code = codeOf(error) ?? 'no code';
  const known = sentences[code];
  const says = known?.says ?? 'could not be used';
  const next = known?.next ?? 'Try again; if it stays, check the disk.';
  const retryable = known?.retryable ?? true;
  return new LeaseError(`"${path}" ${says} (${code}). ${next}`, {
    code: retryable ? 'store-unavailable' : 'store-refused',
    retryable,
    cause: error,
    ...(key !== undefined && { key }),
  });
}

/** A folder that this protocol did not leave like this. Nothing is changed: a person must look. */
export function corruptFolder(path: string, what: string, key?: string): LeaseError {
  return new LeaseError(
    `The folder "${path}" ${what}; nothing was changed. When no process uses it, move the folder away.`,
    { code: 'store-corrupt', ...(key !== undefined && { key }) },
  );
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

interface Sentence {
  readonly says: string;
  readonly next: string;
  readonly retryable: boolean;
}

const permission = 'Give this user the right to write there, or choose another folder.';
const space = 'Free some space and try again.';

const sentences: Readonly<Record<string, Sentence>> = {
  EACCES: { says: 'may not be read or written by this user', next: permission, retryable: false },
  EDQUOT: { says: 'could not be written: the quota is used up', next: space, retryable: true },
  EEXIST: { says: 'is a file where a folder is needed', next: 'Choose another folder.', retryable: false },
  EMFILE: {
    says: 'could not be opened: too many files are open',
    next: 'Raise the limit of open files.',
    retryable: true,
  },
  ENAMETOOLONG: { says: 'is too long a path', next: 'Choose a folder with a shorter path.', retryable: false },
  ENFILE: {
    says: 'could not be opened: too many files are open',
    next: 'Raise the limit of open files.',
    retryable: true,
  },
  ENOENT: { says: 'is gone', next: 'Something removed the folder; try again.', retryable: true },
  ENOSPC: { says: 'could not be written: no space is left on the disk', next: space, retryable: true },
  ENOTDIR: {
    says: 'cannot be a folder: a part of its path is a file',
    next: 'Choose another folder.',
    retryable: false,
  },
  EPERM: { says: 'may not be changed by this user', next: permission, retryable: false },
  EROFS: { says: 'is on a disk that can only be read', next: 'Choose a folder on another disk.', retryable: false },
};
