/** Reads documents together with the fence that protects them, at one moment. */
import { platform } from '#platform';
import { fenceToken } from './fence-token.ts';
import { type FirestoreDocument, type FirestoreSnapshot, readTogether } from './firestore-client.ts';
import { checkHeld, fenceDocument, type GuardOptions } from './guarded-write.ts';
import { explained, timeLimit } from './time-limit.ts';

export interface GuardedReadOptions extends GuardOptions {
  readonly documents: readonly FirestoreDocument[];
}

/** `token`: where the fence stands; 0 = nobody has claimed the resource. */
export type GuardedReadReply =
  | { readonly current: true; readonly documents: readonly FirestoreSnapshot[] }
  | { readonly current: false; readonly token: number };

/**
 * Your documents, if this lease is the newest that has claimed the resource. What an older holder still writes after
 * the claim is refused, so what was read stays until you write it. Throws `lost` when the lease is not held.
 */
export async function guardedRead(options: GuardedReadOptions): Promise<GuardedReadReply> {
  const { client, lease, resource, documents, commandTimeoutMs = 5_000, clock = platform.clock } = options;
  checkHeld(lease, resource);
  const all = readTogether(client, [fenceDocument(options), ...documents]);
  const [fence, ...snapshots] = await explained(timeLimit(clock, commandTimeoutMs, all));
  const stands = fence && fenceToken(fence);
  return stands === lease.token ? { current: true, documents: snapshots } : { current: false, token: stands ?? 0 };
}
