/** Names of documents. `/` may not stand in one, `.` and `__x__` may not be one; a letter in front settles the latter. */
import { LeaseError } from '../../core/errors.ts';

/** The id of the document of a lease key or a resource: at most twice as long as the name, which Firestore allows. */
export function documentId(name: string): string {
  return `k:${name.replace(/[~/]/g, (mark) => (mark === '~' ? '~~' : '~-'))}`;
}

/** Where fences lie, beside the leases. */
export function fencesOf(collection: string): string {
  return `${collection}-fences`;
}

/** A collection at the root, or one below a document: an odd number of parts. */
export function checkCollection(path: string): void {
  const parts = path.split('/');
  if (
    parts.length % 2 === 1 &&
    parts.every((part) => /^[A-Za-z0-9_.-]{1,128}$/.test(part) && !/^(\.\.?|__.*)$/.test(part))
  )
    return;
  throw new LeaseError(
    `The collection ${JSON.stringify(path)} must be a path of one, three, five … names of letters, digits and "_.-".`,
    { code: 'invalid-argument' },
  );
}
