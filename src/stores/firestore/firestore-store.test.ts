import type { Firestore, WriteBatch } from '@google-cloud/firestore';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FirestoreServer, startFirestore } from '../../../test/servers/firestore-server.ts';
import type { LeaseStore, Notice } from '../../core/ports.ts';
import { createLeases } from '../../engine/lease-keeper.ts';
import { documentId } from './document-id.ts';
import { type FirestoreStoreOptions, firestoreStore } from './firestore-store.ts';
import { guardedRead } from './guarded-read.ts';
import { guardedWrite } from './guarded-write.ts';

const ttlMs = 60_000;
const acceptMs = 1_000;

describe('Firestore', () => {
  let server: FirestoreServer | undefined;
  let client: Firestore | undefined;
  let missing = '';
  const opened: (() => unknown)[] = [];
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown): void => void unhandled.push(error);

  beforeAll(async () => {
    process.on('unhandledRejection', onUnhandled);
    try {
      server = await startFirestore();
      client = server.openClient();
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('is not installed'))) throw error;
      missing = error.message;
    }
  });
  beforeEach(({ skip }) => skip(missing !== '', missing));
  afterAll(async () => {
    for (const close of opened.splice(0)) await close();
    await client?.terminate();
    await server?.stop();
    process.off('unhandledRejection', onUnhandled);
    expect(unhandled).toEqual([]);
  });

  const running = (): FirestoreServer => {
    if (!server) throw new Error('not started');
    return server;
  };
  const database = (): Firestore => {
    if (!client) throw new Error('not started');
    return client;
  };
  const open = (options: Partial<FirestoreStoreOptions> = {}): LeaseStore => {
    const store = firestoreStore({ client: database(), commandTimeoutMs: 20_000, ...options });
    opened.unshift(() => store.close());
    return store;
  };
  const take = async (store: LeaseStore, key: string, owner: string): Promise<number> => {
    const reply = await store.acquire({ key, owner, ttlMs, line: false });
    if (!reply.granted) throw new Error(`${key} is held by ${reply.holder}`);
    return reply.lastToken;
  };
  const leaseDocument = (key: string) => database().collection('kannuki-leases').doc(documentId(key));

  describe('a server in trouble', () => {
    it('stands still: calls end in time with an unknown outcome, and it works again afterwards', async () => {
      const store = open({ commandTimeoutMs: 300 });
      await take(open(), 'warm', 'p.1@x');
      running().pause();
      try {
        const silent = { code: 'store-unavailable', retryable: true, message: expect.stringContaining('not known') };
        await expect(store.acquire({ key: 'hung', owner: 'p.2@x', ttlMs, line: false })).rejects.toMatchObject(silent);
        await expect(store.list({ limit: 1 })).rejects.toMatchObject(silent);
        await expect(store.subscribe('p', () => {})).rejects.toMatchObject(silent);
        const renewals = ['hung', 'warm'].map((key) => ({ key, owner: 'p.2@x', token: 1, ttlMs }));
        await expect(store.renew(renewals)).rejects.toMatchObject(silent);
        // Calls on one document queue up; waiting for a turn is not added to the limit.
        const startedMs = performance.now();
        const calls = Array.from({ length: 30 }, () => store.leave({ key: 'hung', owner: 'p.2@x' }));
        for (const result of await Promise.allSettled(calls)) expect(result.status).toBe('rejected');
        expect(performance.now() - startedMs).toBeLessThan(30 * 300);
      } finally {
        running().resume();
      }
      // The same grant id: whatever became of the first request, this is the same grant.
      expect(await open().acquire({ key: 'hung', owner: 'p.2@x', ttlMs, line: false })).toMatchObject({
        granted: true,
      });
    });

    it('is killed and comes back empty: numbers still rise, the old holder is refused, waiters are served', {
      // The SDK waits longer and longer between two attempts to connect.
      timeout: 120_000,
    }, async () => {
      const [store, impatient] = [open(), open({ commandTimeoutMs: 300 })];
      const before = await take(store, 'wiped', 'p.1@x');
      const heard: Notice[] = [];
      const subscription = await store.subscribe('q', (notice) => heard.push(notice));
      // Some of these are cut off in the middle; each comes to an end of its own.
      const inFlight = Promise.allSettled(Array.from({ length: 20 }, (_, i) => take(impatient, `cut ${i}`, 'p.1@x')));
      await running().kill();
      for (const result of await inFlight) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'store-unavailable' });
      }
      await expect(take(impatient, 'wiped', 'p.2@x')).rejects.toMatchObject({ code: 'store-unavailable' });
      await running().restart({ keepData: false });
      const after = await eventually(() => take(store, 'wiped', 'p.2@x'));
      expect(after).toBeGreaterThan(before);
      expect(await store.renew([{ key: 'wiped', owner: 'p.1@x', token: before, ttlMs }])).toEqual([false]);
      expect(await store.release({ key: 'wiped', owner: 'p.1@x', token: before, acceptMs })).toBe(false);
      await store.acquire({ key: 'wiped', owner: 'q.1@x', ttlMs, line: true });
      expect(await store.release({ key: 'wiped', owner: 'p.2@x', token: after, acceptMs })).toBe(true);
      // The listener outlived the server: the SDK connects again.
      await eventually(async () =>
        expect(heard).toMatchObject([{ kind: 'granted', key: 'wiped', owner: 'q.1@x', acceptMs: 5_000 }]),
      );
      expect(subscription.isLive()).toBe(true);
      await subscription.close();
    });

    it('freezes while a keeper holds and another waits: the holder stops in time, nothing is left unhandled', async () => {
      const store = open({ minRenewMs: 0 });
      const [holder, waiter] = [createLeases({ store, ttlMs: 1_000 }), createLeases({ store, ttlMs: 1_000 })];
      const outcome = await holder.acquire('frozen');
      if (!outcome.acquired) throw new Error('not granted');
      const waiting = waiter.acquire('frozen', { waitMs: 30_000 });
      running().pause();
      const aborted = new Promise((resolve) => outcome.lease.signal.addEventListener('abort', resolve));
      try {
        await aborted;
        expect(outcome.lease.isHeld()).toBe(false);
      } finally {
        running().resume();
      }
      const next = await waiting;
      expect(next.acquired && next.lease.token > outcome.lease.token).toBe(true);
      await Promise.all([holder.close(), waiter.close()]);
    });

    it('loses the answer of a write: the SDK repeats it and is refused by itself, and the answer is the right one', async () => {
      const store = open({ client: losingAnswers(database()) });
      const token = await take(store, 'lost', 'p.1@x');
      expect(await store.renew([{ key: 'lost', owner: 'p.1@x', token, ttlMs }])).toEqual([true]);
      expect(await store.claim({ resource: 'lost', token })).toEqual({ claimed: true, token });
      // Without the mark of each write, this release would find no such grant and say no.
      expect(await store.release({ key: 'lost', owner: 'p.1@x', token, acceptMs })).toBe(true);
      expect(await store.release({ key: 'lost', owner: 'p.1@x', token, acceptMs })).toBe(false);
    });
  });

  it('moves the document’s version with every write, also when the record stays the same', async () => {
    const store = open();
    const token = await take(store, 'guard', 'p.1@x');
    const before = await leaseDocument('guard').get();
    // Shorter than what is left: the end stays, so that only the mark changes.
    expect(await store.renew([{ key: 'guard', owner: 'p.1@x', token, ttlMs: 1_000 }])).toEqual([true]);
    const after = await leaseDocument('guard').get();
    expect(after.data()?.record).toEqual(before.data()?.record);
    expect(after.updateTime?.isEqual(before.updateTime as never)).toBe(false);
    // The reason: Firestore keeps the version of a document to which the same was written.
    await leaseDocument('guard').update({ change: after.data()?.change });
    expect((await leaseDocument('guard').get()).updateTime?.isEqual(after.updateTime as never)).toBe(true);
  });

  it('keeps the pace: a short TTL is refused, a handed-over lease lasts a beat at least', async () => {
    const store = open();
    await expect(store.acquire({ key: 'pace', owner: 'p.1@x', ttlMs: 19_999, line: false })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('at least 20000 ms'),
    });
    await expect(store.acquireAll({ keys: ['pace'], owner: 'p.1@x', ttlMs: 100 })).rejects.toThrow('20000 ms');
    expect(() => firestoreStore({ client: database(), minRenewMs: -1 })).toThrow('minRenewMs');
    const token = await take(store, 'pace', 'p.1@x');
    await store.acquire({ key: 'pace', owner: 'p.2@x', ttlMs, line: true });
    await store.release({ key: 'pace', owner: 'p.1@x', token, acceptMs });
    const [info] = await store.list({ prefix: 'pace', limit: 1 });
    expect(info?.owner).toBe('p.2@x');
    expect(info?.remainingMs).toBeGreaterThan(acceptMs);
  });

  it('renews many leases in few trips, and tells which are not in force', { timeout: 60_000 }, async () => {
    const counted = countingCommits(database());
    const store = open({ client: counted.client });
    const all = Array.from({ length: 230 }, (_, i) => `many ${i}`);
    const tokens = await Promise.all(all.map((key) => take(store, key, 'p.1@x')));
    await store.release({ key: 'many 70', owner: 'p.1@x', token: tokens[70] ?? 0, acceptMs });
    const before = counted.commits();
    const renew = (): Promise<readonly boolean[]> =>
      store.renew(all.map((key, i) => ({ key, owner: 'p.1@x', token: tokens[i] ?? 0, ttlMs: ttlMs * 2 })));
    expect((await renew()).flatMap((yes, i) => (yes ? [] : [i]))).toEqual([70]);
    expect(counted.commits() - before).toBe(3);
    const [info] = await store.list({ prefix: 'many 200', limit: 1 });
    expect(info?.remainingMs).toBeGreaterThan(ttlMs);
    // A damaged document costs its own holder the lease, and nobody else's.
    await leaseDocument('many 5').update({ record: 'hello' });
    expect((await renew()).flatMap((yes, i) => (yes ? [] : [i]))).toEqual([5, 70]);
  });

  it('a document that is not ours is reported and left alone', async () => {
    const store = open();
    await leaseDocument('foreign').set({ hello: 'world' });
    const corrupt = { code: 'store-corrupt', message: expect.stringContaining('k:foreign') };
    await expect(store.acquire({ key: 'foreign', owner: 'p.1@x', ttlMs, line: true })).rejects.toMatchObject(corrupt);
    expect((await leaseDocument('foreign').get()).data()).toEqual({ hello: 'world' });
  });

  it('works with a client that returns whole numbers as bigint', async () => {
    const big = running().openClient();
    opened.push(() => big.terminate());
    big.settings({ useBigInt: true });
    const store = open({ client: big });
    const token = await take(store, 'big', 'p.1@x');
    expect(await store.renew([{ key: 'big', owner: 'p.1@x', token, ttlMs }])).toEqual([true]);
    expect(await store.claim({ resource: 'big', token })).toEqual({ claimed: true, token });
    expect(await store.claim({ resource: 'big', token: 1 })).toEqual({ claimed: false, token });
  });

  it('a closed store says so', async () => {
    const store = open();
    await store.close();
    await expect(store.list({ limit: 1 })).rejects.toMatchObject({ code: 'closed' });
    expect(() => firestoreStore({ client: database(), collection: 'a/b' })).toThrow('one, three, five');
  });

  describe('guards', () => {
    const held = (token: number) => ({ token, isHeld: () => true });
    const order = (name: string) => database().collection('orders').doc(name);
    const write = (resource: string, token: number, fields: object) =>
      guardedWrite({
        client: database(),
        lease: held(token),
        resource,
        write: (batch) => batch.set(order(resource), fields),
      });
    const read = (resource: string, token: number) =>
      guardedRead({ client: database(), lease: held(token), resource, documents: [order(resource)] });

    it('let only the newest holder that has claimed read and write', async () => {
      const store = open();
      expect(await write('seven', 10, { by: 10 })).toEqual({ written: false, token: 0 });
      expect(await read('seven', 10)).toEqual({ current: false, token: 0 });
      await store.claim({ resource: 'seven', token: 10 });
      expect(await write('seven', 10, { by: 10 })).toEqual({ written: true });
      await store.claim({ resource: 'seven', token: 20 });
      expect(await write('seven', 10, { by: 'late' })).toEqual({ written: false, token: 20 });
      expect(await read('seven', 10)).toEqual({ current: false, token: 20 });
      // A holder that has not claimed is refused too, although it is newer.
      expect(await write('seven', 30, { by: 30 })).toEqual({ written: false, token: 20 });
      const seen = await read('seven', 20);
      expect(seen.current && seen.documents[0]?.data()).toEqual({ by: 10 });
    });

    it('refuse a write that was compared before a newer claim and arrives after it', async () => {
      const store = open();
      await store.claim({ resource: 'late', token: 10 });
      const reply = await guardedWrite({
        client: claimingFirst(database(), () => store.claim({ resource: 'late', token: 20 })),
        lease: held(10),
        resource: 'late',
        write: (batch) => batch.set(order('late'), { by: 10 }),
      });
      expect(reply).toEqual({ written: false, token: 20 });
      expect((await order('late').get()).exists).toBe(false);
    });

    it('let two writes of one holder both land, and tell a lost answer from a refusal', async () => {
      const store = open();
      await store.claim({ resource: 'both', token: 10 });
      const add = (name: string) =>
        guardedWrite({
          client: losingAnswers(database()),
          lease: held(10),
          resource: 'both',
          write: (batch) => batch.create(order(name), {}),
        });
      expect(await Promise.all(['both 1', 'both 2', 'both 3'].map(add))).toEqual(
        [1, 2, 3].map(() => ({ written: true })),
      );
      for (const name of ['both 1', 'both 2', 'both 3']) expect((await order(name).get()).exists).toBe(true);
    });

    it('pass on the error of a precondition of your own', async () => {
      const store = open();
      await store.claim({ resource: 'own', token: 10 });
      await order('own').set({});
      const creating = guardedWrite({
        client: database(),
        lease: held(10),
        resource: 'own',
        write: (batch) => batch.create(order('own'), {}),
      });
      await expect(creating).rejects.toMatchObject({ code: 6 });
    });

    it('refuse who no longer holds before anything is sent', async () => {
      const lease = { token: 10, isHeld: () => false };
      const options = { client: database(), lease, resource: 'gone' };
      await expect(guardedWrite({ ...options, write: () => {} })).rejects.toMatchObject({ code: 'lost' });
      await expect(guardedRead({ ...options, documents: [] })).rejects.toMatchObject({ code: 'lost' });
    });
  });
});

/** A client whose batches are changed by `change`. */
function withBatches(client: Firestore, change: (batch: WriteBatch) => void): Firestore {
  return new Proxy(client, {
    get(target, name) {
      if (name !== 'batch') {
        const value = Reflect.get(target, name, target) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      }
      return () => {
        const batch = target.batch();
        change(batch);
        return batch;
      };
    },
  });
}

/** Every commit takes effect and is then refused, as a repetition of it would be. */
function losingAnswers(client: Firestore): Firestore {
  return withBatches(client, (batch) => {
    const commit = batch.commit.bind(batch);
    batch.commit = async () => {
      await commit();
      throw Object.assign(new Error('the stored version does not match'), { code: 9 });
    };
  });
}

/** Something happens between the comparison and the commit. */
function claimingFirst(client: Firestore, claim: () => Promise<unknown>): Firestore {
  return withBatches(client, (batch) => {
    const commit = batch.commit.bind(batch);
    batch.commit = async () => {
      await claim();
      return commit();
    };
  });
}

function countingCommits(client: Firestore): { readonly client: Firestore; commits(): number } {
  let commits = 0;
  const counted = withBatches(client, (batch) => {
    const commit = batch.commit.bind(batch);
    batch.commit = () => {
      commits += 1;
      return commit();
    };
  });
  return { client: counted, commits: () => commits };
}

async function eventually<T>(ask: () => Promise<T>): Promise<T> {
  for (const untilMs = performance.now() + 60_000; ; ) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > untilMs) throw error;
      // Nothing tells when a server or a listener is back; asking again is the only way.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
