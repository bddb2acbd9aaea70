/**
 * Notices by listening to documents. One query per process: every lease in which it holds, waits or was broken. A
 * change of such a document carries its whole state, so what is told is the difference to the state before: a release
 * gave the lease to one of our grant ids, or somebody broke ours. What a broken connection missed comes as a
 * difference when it is back; the SDK reconnects by itself.
 */
import { LeaseError } from '../../core/errors.ts';
import { processOf } from '../../core/grant-id.ts';
import type { Notice, Subscription } from '../../core/ports.ts';
import type { FirestoreCollection, FirestoreQuerySnapshot, FirestoreSnapshot } from './firestore-client.ts';
import { explainFirestoreError } from './firestore-errors.ts';
import { parseLeaseDocument } from './lease-document.ts';

/** Resolves when it listens: what was in force by then is not told. */
export function listenForNotices(
  collection: FirestoreCollection,
  process: string,
  onNotice: (notice: Notice) => void,
): { readonly ready: Promise<Subscription>; stop(): void } {
  const known = new Map<string, ReadonlySet<string>>();
  let live = true;
  let first = true;
  let stopListening = (): void => {};
  const stop = (): void => {
    live = false;
    stopListening();
  };

  const take = (snapshot: FirestoreQuerySnapshot): void => {
    for (const { type, doc } of snapshot.docChanges()) {
      const before = known.get(doc.id);
      if (type === 'removed') {
        known.delete(doc.id);
        continue;
      }
      const notices = noticesIn(doc, process);
      known.set(doc.id, new Set(notices.keys()));
      if (first) continue;
      for (const [id, notice] of notices) if (live && !before?.has(id)) onNotice(notice);
    }
    first = false;
  };

  const ready = new Promise<Subscription>((resolve, reject) => {
    const fail = (error: unknown): void => {
      stop();
      reject(explainFirestoreError(error));
    };
    stopListening = collection.where('processes', 'array-contains', process).onSnapshot((snapshot) => {
      if (!live) return;
      take(snapshot);
      resolve({ isLive: () => live, close: async () => stop() });
    }, fail);
    if (!live) stopListening();
  });
  return { ready, stop };
}

/** Everything in a document that this process may have to be told, by what makes it recognisable. */
function noticesIn(doc: FirestoreSnapshot, process: string): ReadonlyMap<string, Notice> {
  const notices = new Map<string, Notice>();
  const fields = doc.data();
  const key = fields?.key;
  try {
    if (typeof key !== 'string') return notices;
    const { handed, broken } = parseLeaseDocument(doc.id, fields);
    for (const { owner, token, lastToken, acceptMs } of handed) {
      if (processOf(owner) !== process) continue;
      notices.set(`granted ${owner} ${lastToken}`, { kind: 'granted', key, owner, token, lastToken, acceptMs });
    }
    for (const { owner, token } of broken) {
      if (processOf(owner) === process) notices.set(`broken ${owner} ${token}`, { kind: 'broken', key, owner });
    }
  } catch (error) {
    // Whoever asks for that lease is told; a listener for many leases goes on.
    if (!(error instanceof LeaseError)) throw error;
  }
  return notices;
}
