import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Notice } from '../../core/ports.ts';
import { createLeases } from '../../engine/lease-keeper.ts';
import { apiToken, createServerApp, type RunningServer, serveApp } from '../../server/index.ts';
import { memoryStore } from '../memory/index.ts';
import { httpStore, openHttpStore } from './http-store.ts';

const token = 'k'.repeat(64);
const ttlMs = 30_000;
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function startServer(store = memoryStore(), port = 0): Promise<RunningServer> {
  const tokens = [
    apiToken({ name: 'test', role: 'operator', secret: token }),
    apiToken({ name: 'reader', role: 'viewer', secret: 'viewer' }),
  ];
  const server = await serveApp({ app: createServerApp({ store, tokens }), port });
  cleanups.push(() => server.close());
  return server;
}

async function setup(): Promise<ReturnType<typeof httpStore>> {
  const { url } = await startServer();
  const store = httpStore({ url, token });
  cleanups.push(() => store.close());
  return store;
}

describe('httpStore', () => {
  it('does each step of a lease', async () => {
    const store = await setup();
    const grant = await store.acquire({ key: 'a/b', owner: 'p.1@one', ttlMs, line: false });
    if (!grant.granted) throw new Error('expected a grant');
    const refused = await store.acquire({ key: 'a/b', owner: 'q.1@two', ttlMs, line: true });
    expect(refused).toMatchObject({ granted: false, token: grant.lastToken, holder: 'p.1@one', inLine: true });
    expect(!refused.granted && refused.remainingMs).toBeGreaterThan(ttlMs - 5_000);
    const mine = { key: 'a/b', owner: 'p.1@one', token: grant.lastToken };
    expect(
      await store.renew([
        { ...mine, ttlMs },
        { ...mine, token: 1, ttlMs },
      ]),
    ).toEqual([true, false]);
    expect(await store.list({ prefix: 'a/', limit: 5 })).toMatchObject([{ ...mine, waiting: 1 }]);
    expect(await store.leave({ key: 'a/b', owner: 'q.1@two' })).toBe(true);
    expect(await store.leave({ key: 'a/b', owner: 'q.1@two' })).toBe(false);
    expect(await store.breakLease({ key: 'a/b', reason: 'why', by: 'ann', acceptMs: 1_000 })).toMatchObject({
      broken: true,
      holders: ['p.1@one'],
    });
    expect(await store.explainLoss(mine)).toEqual({ kind: 'broken', by: 'ann', reason: 'why' });
    expect(await store.release({ ...mine, acceptMs: 1_000 })).toBe(false);
    expect(await store.breakLease({ key: 'a/b', reason: 'why', by: 'ann', acceptMs: 1_000 })).toEqual({
      broken: false,
    });
    expect(await store.claim({ resource: 'r', token: 5 })).toEqual({ claimed: true, token: 5 });
    expect(await store.claim({ resource: 'r', token: 4 })).toEqual({ claimed: false, token: 5 });
  });

  it('takes shares, several keys, and more renewals than one request carries', async () => {
    const store = await setup();
    const share = { weight: 2, capacity: 3 };
    const pooled = await store.acquire({ key: 'pool', owner: 'p.1@one', ttlMs, line: false, share });
    if (!pooled.granted) throw new Error('expected a grant');
    expect(await store.acquire({ key: 'pool', owner: 'p.2@one', ttlMs, line: false, share })).toMatchObject({
      granted: false,
    });
    expect((await store.list({ limit: 1 }))[0]?.share).toEqual(share);
    expect(await store.release({ key: 'pool', owner: 'p.1@one', token: null, acceptMs: 500, share })).toBe(true);
    const several = await store.acquireAll({ keys: ['a', 'b'], owner: 'p.3@one', ttlMs });
    if (!several.granted) throw new Error('expected grants');
    expect(several.tokens.map((one) => one.key)).toEqual(['a', 'b']);
    expect(await store.acquireAll({ keys: ['b', 'c'], owner: 'q.1@two', ttlMs })).toMatchObject({
      granted: false,
      key: 'b',
      holder: 'p.3@one',
    });
    const renewal = { key: 'a', owner: 'p.3@one', token: several.tokens[0]?.lastToken ?? 0, ttlMs };
    const renewals = Array.from({ length: 1_203 }, (_, i) => (i === 777 ? { ...renewal, key: 'c' } : renewal));
    const renewed = await store.renew(renewals);
    expect(renewed).toHaveLength(1_203);
    expect(renewed.flatMap((one, i) => (one ? [] : [i]))).toEqual([777]);
    expect(await store.renew([])).toEqual([]);
  });

  it('hears notices, and knows when the server is gone', async () => {
    const server = await startServer();
    const store = httpStore({ url: server.url, token });
    cleanups.push(() => store.close());
    const notices: Notice[] = [];
    let heard = (): void => {};
    const subscription = await store.subscribe('q', (notice) => {
      notices.push(notice);
      heard();
    });
    expect(subscription.isLive()).toBe(true);
    const grant = await store.acquire({ key: 'k', owner: 'p.1@one', ttlMs, line: false });
    await store.acquire({ key: 'k', owner: 'q.1@two', ttlMs, line: true });
    const notice = new Promise<void>((resolve) => {
      heard = resolve;
    });
    await store.release({ key: 'k', owner: 'p.1@one', token: grant.granted ? grant.lastToken : 0, acceptMs: 900 });
    await notice;
    expect(notices).toMatchObject([{ kind: 'granted', key: 'k', owner: 'q.1@two', acceptMs: 900 }]);
    await server.close();
    while (subscription.isLive()) await new Promise((resolve) => setImmediate(resolve));
    await subscription.close();
    await expect(store.subscribe('q', () => {})).rejects.toMatchObject({ code: 'store-unavailable', retryable: true });
  });

  it('ends a closed subscription on the server too', async () => {
    const inner = memoryStore();
    const closed = new Promise<void>((resolve) => {
      const { subscribe } = inner;
      inner.subscribe = async (process, onNotice) => {
        const subscription = await subscribe(process, onNotice);
        return {
          ...subscription,
          async close() {
            await subscription.close();
            resolve();
          },
        };
      };
    });
    const { url } = await startServer(inner);
    const store = httpStore({ url, token });
    const subscription = await store.subscribe('q', () => {});
    await subscription.close();
    await closed;
    await store.close();
  });

  it('mirrors what the store of the server can do', async () => {
    const { url } = await startServer();
    const store = await openHttpStore({ url: `${url}/`, token });
    expect(store.capabilities).toEqual(memoryStore().capabilities);
    await store.close();
    await expect(store.list({ limit: 1 })).rejects.toMatchObject({ code: 'closed' });
  });

  it('carries a keeper: waiting, hand-over, break', async () => {
    const { url } = await startServer();
    const [first, second] = [0, 1].map(() => createLeases({ store: httpStore({ url, token }), ttlMs: 5_000 }));
    if (!first || !second) throw new Error('two keepers');
    cleanups.push(
      () => first.close(),
      () => second.close(),
    );
    const held = await first.acquire('k');
    if (!held.acquired) throw new Error('expected a lease');
    const waiting = second.acquire('k', { waitMs: 20_000 });
    while ((await first.list())[0]?.waiting !== 1) await new Promise((resolve) => setImmediate(resolve));
    await held.lease.release();
    const handed = await waiting;
    if (!handed.acquired) throw new Error('expected the lease to be handed over');
    expect(handed.lease.token).toBeGreaterThan(held.lease.token);
    const lost = new Promise((resolve) => handed.lease.signal.addEventListener('abort', resolve));
    await first.break('k', { reason: 'test', by: 'ann' });
    await lost;
    expect(handed.lease.lostReason).toMatchObject({ kind: 'broken', reason: 'test' });
  });
});

describe('failures', () => {
  const request = { key: 'k', owner: 'p.1@one', ttlMs, line: false };

  it('an unknown or too weak token is refused for good', async () => {
    const { url } = await startServer();
    for (const [wrong, text] of [
      ['wrong', /401.*known token/],
      ['viewer', /403.*needs the role operator/],
    ] as const) {
      await expect(httpStore({ url, token: wrong }).acquire(request)).rejects.toMatchObject({
        code: 'store-refused',
        retryable: false,
        message: expect.stringMatching(text),
      });
    }
  });

  it('nobody listens: unavailable, worth another try', async () => {
    const server = await startServer();
    await server.close();
    await expect(httpStore({ url: server.url, token }).acquire(request)).rejects.toMatchObject({
      code: 'store-unavailable',
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('a server that hangs is given up on in time', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    cleanups.push(async () => {
      silent.closeAllConnections();
      silent.close();
    });
    const store = httpStore({ url: `http://127.0.0.1:${port}`, token, timeoutMs: 150 });
    const late = { code: 'store-unavailable', retryable: true, message: expect.stringContaining('within 150 ms') };
    await expect(store.acquire(request)).rejects.toMatchObject(late);
    await expect(store.subscribe('p', () => {})).rejects.toMatchObject(late);
  });

  it('a store that is closed gives up what is under way, and says that its outcome is unknown', async () => {
    let arrived = (): void => {};
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const silent = createServer(() => arrived());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    cleanups.push(() => new Promise((resolve) => silent.close(resolve)));
    const store = httpStore({ url: `http://127.0.0.1:${port}`, token });
    const refused = expect(store.acquire(request)).rejects.toMatchObject({
      code: 'store-unavailable',
      message: expect.stringContaining('not known whether the request took effect'),
    });
    await asked;
    await store.close();
    await refused;
    await expect(store.acquire(request)).rejects.toMatchObject({ code: 'closed' });
  });

  it('an answer that breaks off is no answer', async () => {
    const torn = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 });
      response.write('{"granted":true', () => response.destroy());
    });
    await new Promise<void>((resolve) => torn.listen(0, '127.0.0.1', resolve));
    const { port } = torn.address() as { port: number };
    cleanups.push(() => new Promise((resolve) => torn.close(resolve)));
    for (const options of [{}, { fetch }]) {
      const store = httpStore({ url: `http://127.0.0.1:${port}`, token, ...options });
      await expect(store.acquire(request)).rejects.toMatchObject({
        code: 'store-unavailable',
        retryable: true,
        message: expect.stringContaining('not known whether the request took effect'),
      });
      await store.close();
    }
  });

  it('a server behind a path, asked by node:http or by the fetch that was given', async () => {
    const paths: (string | undefined)[] = [];
    const server = createServer((incoming, response) => {
      paths.push(incoming.url);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"released":true}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    cleanups.push(() => new Promise((resolve) => server.close(resolve)));
    let fetched = 0;
    const counted: typeof fetch = (input, init) => {
      fetched += 1;
      return fetch(input, init);
    };
    for (const options of [{}, { fetch: counted }]) {
      const store = httpStore({ url: `http://127.0.0.1:${port}/locks/`, token, ...options });
      expect(await store.release({ key: 'k', owner: 'p.1@one', token: 1, acceptMs: 1_000 })).toBe(true);
      await store.close();
    }
    expect(paths).toEqual(['/locks/api/v1/leases/release', '/locks/api/v1/leases/release']);
    expect(fetched).toBe(1);
  });

  it('something else that answers is named as such', async () => {
    let reply: [number, string] = [200, 'hello'];
    const other = createServer((_, response) => response.writeHead(reply[0], { location: '/x' }).end(reply[1]));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    cleanups.push(async () => {
      other.closeAllConnections();
      other.close();
    });
    const store = httpStore({ url: `http://127.0.0.1:${port}`, token });
    await expect(store.acquire(request)).rejects.toMatchObject({
      code: 'store-refused',
      message: expect.stringContaining('is not a Kannuki server'),
    });
    for (const [status, code] of [
      [404, 'store-refused'],
      [302, 'store-refused'],
      [502, 'store-unavailable'],
      [429, 'store-unavailable'],
    ] as const) {
      reply = [status, '<html>'];
      await expect(store.acquire(request), String(status)).rejects.toMatchObject({ code });
    }
  });

  it('bad arguments are refused here or there', async () => {
    const { url } = await startServer();
    const wrong = { code: 'invalid-argument' };
    await expect(httpStore({ url, token }).acquire({ ...request, key: '' })).rejects.toMatchObject(wrong);
    expect(() => httpStore({ url: 'ftp://x', token })).toThrow(/must begin with http/);
    expect(() => httpStore({ url: 'http://u:p@x', token })).toThrow(/must not carry credentials/);
    expect(() => httpStore({ url, token: '' })).toThrow(/token/);
    expect(() => httpStore({ url, token, timeoutMs: 0 })).toThrow(/timeoutMs/);
  });
});
