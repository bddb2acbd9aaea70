/** The document of one fence: the number of the newest holder that has claimed the resource. */
import { LeaseError } from '../../core/errors.ts';
import { dateOf } from '../../platform/date-of.ts';
import type { FirestoreSnapshot } from './firestore-client.ts';
import { numberOf } from './lease-document.ts';
import { rememberChange } from './remember-change.ts';

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

/** A write that changes nothing would not move `updateTime`, and would guard nothing: `change` is new with every one. */
export function fenceFields(
  before: FirestoreSnapshot,
  { resource, token, nowUs, change }: { resource: string; token: number; nowUs: number; change: string },
): object {
  return { resource, token, ...rememberChange(before, change), forgetAt: dateOf(Math.ceil(nowUs / 1000) + dayMs) };
}
