/**
 * Leases in Firestore, one document per key (lease-document.ts). Each method is one compare-and-set (document-steps.ts)
 * whose decision is the core's, at the server's read time. The line lies in the document: a release writes the heir's
 * grant in the same write, and the heir's process hears of it as a changed document (listen-for-notices.ts).
 *
 * Firestore takes about one write per second on one document, for long. A grant costs one write, a release one, a
 * place in line one, a renewal one; so leases are long here and beats are slow: `minRenewMs`.
 */
import { platform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import { followsPlace } from '../../core/follows-place.ts';
import {
  decideAcquire,
  decideBreak,
  decideClaim,
  decideLeave,
  decideRelease,
  decideRenew,
  type Heir,
} from '../../core/lease.ts';
import type {
  AcquireAllReply,
  AcquireReply,
  BreakReply,
  Clock,
  LeaseInfo,
  LeaseStore,
  LossCause,
  Random,
  RenewRequest,
} from '../../core/ports.ts';
import { checkCollection, documentId, fencesOf } from './document-id.ts';
import { documentSteps, type Step } from './document-steps.ts';
import { fenceFields, fenceToken } from './fence-token.ts';
import { type FirestoreClient, type FirestoreDocument, microsecondsOf } from './firestore-client.ts';
import { fieldsOf, type Handed, type LeaseDocument, parseLeaseDocument } from './lease-document.ts';
import { listenForNotices } from './listen-for-notices.ts';
import { renewTogether } from './renew-together.ts';
import { explained, timeLimit } from './time-limit.ts';

export interface FirestoreStoreOptions {
  /** A `Firestore` of `@google-cloud/firestore` or `firebase-admin`. It stays yours: the store does not end it. */
  readonly client: FirestoreClient;
  /** Path of the collection of leases; fences lie beside it in `<collection>-fences`. @default 'kannuki-leases' */
  readonly collection?: string;
  /**
   * Nobody renews one lease more often than this, 0 to 600,000. So a TTL below four times this is refused, and a lease
   * that a release handed over lasts at least this long. The service takes about one write per second on a document:
   * below 5,000 is for the emulator. @default 5000
   */
  readonly minRenewMs?: number;
  /** An operation that is not answered fails after this, 10 to 600,000; it may still take effect. @default 5000 */
  readonly commandTimeoutMs?: number;
  /** @default the platform's clock */
  readonly clock?: Pick<Clock, 'after' | 'monotonicMs'>;
  /** @default the platform's */
  readonly random?: Random;
}

/** Renewals in a TTL, as the lease keeper sends them. */
const renewalsPerTtl = 4;
const listPage = 300;

/** Leases in Firestore. */
export function firestoreStore(options: FirestoreStoreOptions): LeaseStore {
  const { client, collection: path = 'kannuki-leases', minRenewMs = 5_000, commandTimeoutMs = 5_000 } = options;
  const { clock = platform.clock, random = platform.random } = options;
  checkCollection(path);
  checkMs('minRenewMs', minRenewMs, 0);
  checkMs('commandTimeoutMs', commandTimeoutMs, 10);
  const collection = client.collection(path);
  const fences = client.collection(fencesOf(path));
  const steps = documentSteps({ client, commandTimeoutMs, clock, random });
  const documentOf = (key: string): FirestoreDocument => collection.doc(documentId(key));
  const listeners = new Set<() => void>();
  let closed = false;

  const checkOpen = (): void => {
    if (closed) throw new LeaseError('This Firestore store was closed.', { code: 'closed' });
  };
  const checkPace = (ttlMs: number): void => {
    if (ttlMs >= minRenewMs * renewalsPerTtl) return;
    throw new LeaseError(
      `A lease in Firestore must last at least ${minRenewMs * renewalsPerTtl} ms, got ${ttlMs}: it is renewed every quarter of that, and a document takes about one write per second. Set ttlMs, or minRenewMs for the emulator.`,
      { code: 'invalid-argument' },
    );
  };
  const acceptFor = (acceptMs: number): number => Math.max(acceptMs, minRenewMs);

  /** One step of the core on the document of a key. */
  const step = <T>(
    key: string,
    decide: (document: LeaseDocument, nowUs: number) => { readonly reply: T; readonly next?: LeaseDocument },
  ): Promise<T> => {
    checkOpen();
    return steps.step<T>(documentOf(key), (snapshot, nowUs): Step<T> => {
      const { reply, next } = decide(parseLeaseDocument(snapshot.id, snapshot.data()), nowUs);
      return next ? { reply, fields: (change) => fieldsOf(key, next, nowUs, change) } : { reply };
    });
  };
  const read = async (key: string): Promise<{ document: LeaseDocument; nowUs: number }> => {
    checkOpen();
    const snapshot = await explained(timeLimit(clock, commandTimeoutMs, documentOf(key).get()));
    return { document: parseLeaseDocument(snapshot.id, snapshot.data()), nowUs: microsecondsOf(snapshot.readTime) };
  };
  const renewOne = ({ key, owner, token, ttlMs }: RenewRequest): Promise<boolean> =>
    step(key, (document, nowUs) => {
      const record = decideRenew(document.record, { owner, token, ttlMs: Math.ceil(ttlMs) }, nowUs);
      return record ? { reply: true, next: { ...document, record } } : { reply: false };
    });

  return {
    name: 'firestore',
    capabilities: {
      line: true,
      shared: true,
      counted: true,
      several: true,
      fences: true,
      durable: true,
      network: true,
    },

    async acquire({ key, owner, ttlMs, line, share }) {
      checkPace(ttlMs);
      const wanted = { owner, ttlMs: Math.ceil(ttlMs), line, ...(share && { share }) };
      return step<AcquireReply>(key, (document, nowUs) => {
        const decision = decideAcquire(document.record, wanted, nowUs);
        const changed = decision.record !== document.record && { next: { ...document, record: decision.record } };
        if (decision.granted) return { reply: { granted: true, ...decision.numbers }, ...changed };
        const { holder, inLine } = decision;
        return {
          reply: { granted: false, token: decision.record.token, inLine, ...holderOf(holder, nowUs) },
          ...changed,
        };
      });
    },

    async acquireAll({ keys, owner, ttlMs }) {
      checkPace(ttlMs);
      checkOpen();
      return steps.stepAll<AcquireAllReply>(keys.map(documentOf), (snapshots, nowUs) => {
        const documents = snapshots.map((snapshot) => parseLeaseDocument(snapshot.id, snapshot.data()));
        const tokens: { key: string; token: number; lastToken: number }[] = [];
        const fields: ((change: string) => object)[] = [];
        for (const [i, key] of keys.entries()) {
          const document = documents[i] as LeaseDocument;
          const decision = decideAcquire(document.record, { owner, ttlMs: Math.ceil(ttlMs), line: false }, nowUs);
          if (!decision.granted) return { reply: { granted: false, key, ...holderOf(decision.holder, nowUs) } };
          tokens.push({ key, ...decision.numbers });
          fields.push((change) => fieldsOf(key, { ...document, record: decision.record }, nowUs, change));
        }
        return { reply: { granted: true, tokens }, fields };
      });
    },

    async renew(requests) {
      checkOpen();
      return renewTogether({ client, clock, random, commandTimeoutMs, documentOf, renewOne }, requests);
    },

    async release({ key, owner, token, acceptMs }) {
      const acceptedMs = acceptFor(acceptMs);
      return step<boolean>(key, (document, nowUs) => {
        const decision = decideRelease(document.record, { owner, token, acceptMs: acceptedMs }, nowUs);
        if (!decision) return { reply: false };
        const handed = [...document.handed, ...handedTo(decision.heirs, acceptedMs)];
        return { reply: true, next: { ...document, record: decision.record, handed } };
      });
    },

    async leave({ key, owner }) {
      return step<boolean>(key, (document) => {
        const record = decideLeave(document.record, owner);
        return record ? { reply: true, next: { ...document, record } } : { reply: false };
      });
    },

    async breakLease({ key, reason, by, acceptMs }) {
      const acceptedMs = acceptFor(acceptMs);
      return step<BreakReply>(key, (document, nowUs) => {
        const decision = decideBreak(document.record, acceptedMs, nowUs);
        if (!decision) return { reply: { broken: false } };
        const { record, heirs } = decision;
        const ended = decision.broken.map(({ owner, token }) => ({ owner, token, by, reason, atUs: nowUs }));
        return {
          reply: { broken: true, holders: ended.map(({ owner }) => owner), token: record.token },
          next: {
            record,
            handed: [...document.handed, ...handedTo(heirs, acceptedMs)],
            broken: [...document.broken, ...ended],
          },
        };
      });
    },

    async explainLoss({ key, owner, token }): Promise<LossCause> {
      const { document, nowUs } = await read(key);
      const broken = document.broken.find((entry) => entry.owner === owner && entry.token === token);
      if (broken) return { kind: 'broken', by: broken.by, reason: broken.reason };
      const other = document.record.holders.find((holder) => holder.owner !== owner && holder.endUs > nowUs);
      return other ? { kind: 'taken', holder: other.owner } : { kind: 'expired' };
    },

    async list({ prefix = '', after, limit }) {
      const infos: LeaseInfo[] = [];
      // Keys with one prefix stand together, whatever the order of characters.
      let page = collection
        .orderBy('heldKey')
        .startAt(after?.key ?? prefix)
        .limit(listPage);
      for (;;) {
        checkOpen();
        const found = await explained(timeLimit(clock, commandTimeoutMs, page.get()));
        const nowUs = microsecondsOf(found.readTime);
        let key = '';
        for (const doc of found.docs) {
          const fields = doc.data();
          key = String(fields?.heldKey);
          if (!key.startsWith(prefix) || infos.length >= limit) return infos.slice(0, limit);
          const held = infosOf(key, parseLeaseDocument(doc.id, fields), nowUs);
          infos.push(...held.filter((info) => followsPlace(info, after)));
        }
        if (found.docs.length < listPage) return infos.slice(0, limit);
        page = collection.orderBy('heldKey').startAfter(key).limit(listPage);
      }
    },

    async claim({ resource, token }) {
      checkOpen();
      return steps.step(fences.doc(documentId(resource)), (snapshot, nowUs) => {
        const before = fenceToken(snapshot);
        const reply = decideClaim(before, token);
        if (!reply.claimed || before === token) return { reply };
        return { reply, fields: (change) => fenceFields(snapshot, { resource, token, nowUs, change }) };
      });
    },

    async subscribe(process, onNotice) {
      checkOpen();
      const { ready, stop } = listenForNotices(collection, process, onNotice);
      listeners.add(stop);
      try {
        const subscription = await explained(timeLimit(clock, commandTimeoutMs, ready));
        return {
          isLive: subscription.isLive,
          async close() {
            listeners.delete(stop);
            stop();
          },
        };
      } catch (error) {
        listeners.delete(stop);
        stop();
        throw error;
      }
    },

    async close() {
      closed = true;
      for (const stop of listeners) stop();
      listeners.clear();
    },
  };
}

function handedTo(heirs: readonly Heir[], acceptMs: number): readonly Handed[] {
  return heirs.map((heir) => ({ ...heir, acceptMs }));
}

function holderOf(
  holder: { readonly owner: string; readonly endUs: number } | undefined,
  nowUs: number,
): { holder?: string; remainingMs?: number } {
  return holder ? { holder: holder.owner, remainingMs: (holder.endUs - nowUs) / 1000 } : {};
}

function infosOf(key: string, { record }: LeaseDocument, nowUs: number): readonly LeaseInfo[] {
  return record.holders
    .filter((holder) => holder.endUs > nowUs)
    .map(({ owner, token, endUs, share }) => ({
      key,
      owner,
      token,
      remainingMs: (endUs - nowUs) / 1000,
      waiting: record.line.length,
      ...(share && { share }),
    }))
    .sort((a, b) => a.token - b.token);
}

function checkMs(name: string, value: number, min: number): void {
  if (Number.isFinite(value) && value >= min && value <= 600_000) return;
  throw new LeaseError(`${name} must be a number of milliseconds from ${min} to 600000, got ${value}.`, {
    code: 'invalid-argument',
  });
}
