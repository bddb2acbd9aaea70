/** The document of one fence: the number of the newest holder that has claimed the resource. */
import { LeaseError } from '../../core/errors.ts';
import { dateOf } from '../../platform/date-of.ts';
import type { FirestoreSnapshot } from './firestore-client.ts';
import { numberOf } from './lease-document.ts';

const dayMs = 86_400_000;

/** Undefined: nobody has claimed it. */
export function fenceToken(snapshot: FirestoreSnapshot): number | undefined {
  const fields = snapshot.data();
  if (fields === undefined) return undefined;
  try {
    return numberOf(fields.token);
  } catch (cause) {
    throw new LeaseError(
      `The Firestore document "${snapshot.id}" is not a fence of ours or is damaged; nothing was changed.`,
      { code: 'store-corrupt', cause },
    );
  }
}

/** So many writes are remembered by their `change`, newest last. */
const rememberedChanges = 32;

/**
 * `change` is new with every write: one that changes nothing would not move `updateTime`, and would guard nothing. The
 * last ones are kept, so that whoever lost the answer of a write finds it although others have written since.
 */
export function fenceFields(
  before: FirestoreSnapshot,
  { resource, token, nowUs, change }: { resource: string; token: number; nowUs: number; change: string },
): object {
  const changes = [...fenceChanges(before), change].slice(-rememberedChanges);
  return { resource, token, change, changes, forgetAt: dateOf(Math.ceil(nowUs / 1000) + dayMs) };
}

/** The last writes of the fence, newest last. */
export function fenceChanges(snapshot: FirestoreSnapshot): readonly unknown[] {
  const { changes } = snapshot.data() ?? {};
  return Array.isArray(changes) ? changes : [];
}
