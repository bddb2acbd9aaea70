/**
 * Writes that only the newest holder can make: they are committed together with a write to the fence's document whose
 * precondition is that nobody has touched the fence since we compared it.
 *
 *   await lease.claim('orders/7');                                   -- first: raise the fence, then read
 *   const { documents } = await guardedRead({ client, lease, resource: 'orders/7', documents: [order] });
 *   const reply = await guardedWrite({
 *     client, lease, resource: 'orders/7',
 *     write: (batch) => batch.update(order, { state: 'paid' }),
 *   });
 *   if (!reply.written) …                                            -- refused: somebody newer claimed it, or nobody
 *
 * Not having claimed is refused too: without it an older holder's write could land between our read and our write.
 * Every guarded write is also one of the fence's document, which takes about one per second for long: put what belongs
 * together into one batch.
 */
import { platform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import type { Clock, Random } from '../../core/ports.ts';
import { nextDelayMs } from '../../core/retry.ts';
import { documentId, fencesOf } from './document-id.ts';
import { fenceFields, fenceToken } from './fence-token.ts';
import {
  type FirestoreBatch,
  type FirestoreClient,
  type FirestoreDocument,
  microsecondsOf,
  writeIfUnchanged,
} from './firestore-client.ts';
import { explainFirestoreError, failedPrecondition, mayTryAgain } from './firestore-errors.ts';
import { findChange } from './remember-change.ts';
import { timeLimit } from './time-limit.ts';

/** What a fence needs to know of a lease. */
export interface HeldLease {
  readonly token: number;
  isHeld(): boolean;
}

/** What a guard needs to know. */
export interface GuardOptions {
  /** Of the same database as the store's. */
  readonly client: FirestoreClient;
  /** The lease that protects the resource; its holder has claimed the resource. */
  readonly lease: HeldLease;
  /** The name given to `claim`. */
  readonly resource: string;
  /** As given to `firestoreStore`. @default 'kannuki-leases' */
  readonly collection?: string;
  /** An operation that is not answered fails after this; it may still take effect. @default 5000 */
  readonly commandTimeoutMs?: number;
  /** @default the platform's clock */
  readonly clock?: Pick<Clock, 'after' | 'monotonicMs'>;
  /** @default the platform's */
  readonly random?: Random;
}

export interface GuardedWriteOptions<Batch extends FirestoreBatch> extends GuardOptions {
  readonly client: { batch(): Batch } & FirestoreClient;
  /** Adds your writes. Called again, with a new batch, if another write of yours came between. */
  readonly write: (batch: Batch) => void;
}

/** `token`: where the fence stands; 0 = nobody has claimed the resource. */
export type GuardedWriteReply = { readonly written: true } | { readonly written: false; readonly token: number };

/**
 * Commits your writes if this lease is the newest that has claimed the resource. Throws `lost` when it is not held, and
 * your own precondition's error as the SDK gave it.
 */
export async function guardedWrite<Batch extends FirestoreBatch>(
  options: GuardedWriteOptions<Batch>,
): Promise<GuardedWriteReply> {
  const { client, lease, resource, write, commandTimeoutMs = 5_000 } = options;
  const { clock = platform.clock, random = platform.random } = options;
  checkHeld(lease, resource);
  const fence = fenceDocument(options);
  const untilMs = clock.monotonicMs() + commandTimeoutMs;
  const limit = <T>(answer: Promise<T>): Promise<T> => timeLimit(clock, untilMs - clock.monotonicMs(), answer);
  const readFence = () =>
    limit(fence.get()).catch((error: unknown) => {
      throw explainFirestoreError(error);
    });
  let read = await readFence();
  for (let attempt = 1; ; attempt++) {
    const stands = fenceToken(read);
    const { updateTime } = read;
    if (stands !== lease.token || updateTime === undefined) return { written: false, token: stands ?? 0 };
    const change = random.hex(8);
    const batch = client.batch();
    const nowUs = microsecondsOf(read.readTime);
    writeIfUnchanged(batch, fence, read, fenceFields(read, { resource, token: lease.token, nowUs, change }));
    write(batch);
    try {
      await limit(batch.commit());
      return { written: true };
    } catch (error) {
      if (!mayTryAgain(error)) throw explainFirestoreError(error);
      const again = await readFence();
      // The SDK repeats a write whose answer was lost; then it is our own that came between.
      const sent = findChange(read, again, change);
      if (sent === 'landed') return { written: true };
      // Ours may have been among what came between, and must not be sent twice.
      if (sent === 'unknown') throw unknownOutcome(resource, error);
      // The fence is as it was: it is a precondition of yours that failed.
      const { updateTime: movedTo } = again;
      if (movedTo && microsecondsOf(movedTo) === microsecondsOf(updateTime) && failedPrecondition(error)) throw error;
      read = again;
    }
    const delayMs = nextDelayMs({ attempt, baseMs: 5, maxMs: 500, fraction: random.fraction() });
    await limit(new Promise<void>((resolve) => clock.after(delayMs, resolve)));
  }
}

function unknownOutcome(resource: string, cause: unknown): LeaseError {
  return new LeaseError(
    `The answer to a write fenced by "${resource}" was lost, and it cannot be told any more whether it took effect: read, then decide.`,
    { code: 'store-unavailable', cause },
  );
}

export function checkHeld(lease: HeldLease, resource: string): void {
  if (lease.isHeld()) return;
  throw new LeaseError(
    `The lease for "${resource}" (token ${lease.token}) is no longer held; acquire it anew before going on.`,
    { code: 'lost' },
  );
}

export function fenceDocument({ client, collection = 'kannuki-leases', resource }: GuardOptions): FirestoreDocument {
  return client.collection(fencesOf(collection)).doc(documentId(resource));
}
