/**
 * Every write carries a `change` of its own, and the document remembers the last ones: whoever lost the answer of a
 * write finds it there although others have written since. The SDK repeats a write whose answer was lost and then only
 * hears that the document has changed.
 */
import type { FirestoreSnapshot } from './firestore-client.ts';

const remembered = 32;

/** The fields of a write over this snapshot. */
export function rememberChange(
  before: FirestoreSnapshot | undefined,
  change: string,
): { readonly change: string; readonly changes: readonly unknown[] } {
  return { change, changes: [...recentChanges(before), change].slice(-remembered) };
}

export type SentWrite = 'landed' | 'not-landed' | 'unknown';

/** What became of a write over `before`, seen in `after`. Unknown: more was written since than is remembered. */
export function findChange(
  before: FirestoreSnapshot | undefined,
  after: FirestoreSnapshot | undefined,
  change: string,
): SentWrite {
  const since = recentChanges(after);
  if (since.includes(change)) return 'landed';
  const last = recentChanges(before).at(-1);
  return last === undefined || since.includes(last) ? 'not-landed' : 'unknown';
}

function recentChanges(snapshot: FirestoreSnapshot | undefined): readonly unknown[] {
  const { changes } = snapshot?.data() ?? {};
  return Array.isArray(changes) ? changes : [];
}
