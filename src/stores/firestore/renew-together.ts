/**
 * Many renewals in few trips: up to a hundred leases are read at once and written at once, each only if it is as it
 * was read. If one of them has changed meanwhile (somebody joined its line) none of that batch is written; then each
 * is renewed on its own.
 */
import { LeaseError } from '../../core/errors.ts';
import { decideRenew } from '../../core/lease.ts';
import type { Clock, Random, RenewRequest } from '../../core/ports.ts';
import {
  type FirestoreClient,
  type FirestoreDocument,
  microsecondsOf,
  readTogether,
  writeIfUnchanged,
} from './firestore-client.ts';
import { explainFirestoreError, mayTryAgain } from './firestore-errors.ts';
import { fieldsOf, parseLeaseDocument } from './lease-document.ts';
import { rememberChange } from './remember-change.ts';
import { timeLimit } from './time-limit.ts';

export interface RenewTogetherContext {
  readonly client: FirestoreClient;
  readonly clock: Pick<Clock, 'after'>;
  readonly random: Random;
  readonly commandTimeoutMs: number;
  documentOf(key: string): FirestoreDocument;
  renewOne(request: RenewRequest): Promise<boolean>;
}

/** Leases of one batch. Larger ones are more likely to meet a lease that has just changed. */
const keysPerBatch = 100;

export async function renewTogether(
  context: RenewTogetherContext,
  requests: readonly RenewRequest[],
): Promise<readonly boolean[]> {
  const answers = requests.map(() => false);
  const keys = [...new Set(requests.map(({ key }) => key))];
  for (let from = 0; from < keys.length; from += keysPerBatch) {
    const batchKeys = new Set(keys.slice(from, from + keysPerBatch));
    const places = requests.flatMap(({ key }, i) => (batchKeys.has(key) ? [i] : []));
    const renewed = await renewBatch(
      context,
      places.map((i) => requests[i] as RenewRequest),
    );
    places.forEach((place, n) => {
      answers[place] = renewed[n] === true;
    });
  }
  return answers;
}

async function renewBatch(
  context: RenewTogetherContext,
  requests: readonly RenewRequest[],
): Promise<readonly boolean[]> {
  const alone = (): Promise<readonly boolean[]> => Promise.all(requests.map((request) => renewAlone(context, request)));
  if (requests.length === 1) return alone();
  try {
    return (await tryBatch(context, requests)) ?? (await alone());
  } catch (error) {
    // One damaged document must not cost the others their leases.
    if (error instanceof LeaseError && error.code === 'store-corrupt') return alone();
    throw explainFirestoreError(error);
  }
}

/** Nobody can say who holds a damaged lease, so its holder must stop. */
async function renewAlone(context: RenewTogetherContext, request: RenewRequest): Promise<boolean> {
  try {
    return await context.renewOne(request);
  } catch (error) {
    if (error instanceof LeaseError && error.code === 'store-corrupt') return false;
    throw error;
  }
}

/** Undefined: something changed between read and write, and nothing was written. */
async function tryBatch(
  { client, clock, random, commandTimeoutMs, documentOf }: RenewTogetherContext,
  requests: readonly RenewRequest[],
): Promise<readonly boolean[] | undefined> {
  const keys = [...new Set(requests.map(({ key }) => key))];
  const snapshots = await timeLimit(clock, commandTimeoutMs, readTogether(client, keys.map(documentOf)));
  const answers = requests.map(() => false);
  const batch = client.batch();
  let writes = 0;
  for (const [i, key] of keys.entries()) {
    const snapshot = snapshots[i];
    if (!snapshot) return undefined;
    const nowUs = microsecondsOf(snapshot.readTime);
    const document = parseLeaseDocument(snapshot.id, snapshot.data());
    let { record } = document;
    // The same process may hold several parts of one counted lease: one write for all of them.
    requests.forEach((request, n) => {
      if (request.key !== key) return;
      const next = decideRenew(record, { ...request, ttlMs: Math.ceil(request.ttlMs) }, nowUs);
      answers[n] = next !== undefined;
      record = next ?? record;
    });
    if (record === document.record) continue;
    const change = random.hex(8);
    const fields = fieldsOf(key, { ...document, record }, nowUs, change);
    writeIfUnchanged(batch, documentOf(key), snapshot, { ...fields, ...rememberChange(snapshot, change) });
    writes += 1;
  }
  if (writes === 0) return answers;
  try {
    await timeLimit(clock, commandTimeoutMs, batch.commit());
    return answers;
  } catch (error) {
    if (mayTryAgain(error)) return undefined;
    throw error;
  }
}
