import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type OpenedClient,
  openRedisClient,
  type RedisLibrary,
  redisLibraryVersion,
} from '../../../test/servers/redis-clients.ts';
import { type RedisServer, startRedis } from '../../../test/servers/redis-server.ts';
import type { LeaseStore, Notice } from '../../core/ports.ts';
import { guardedEval } from './guarded-eval.ts';
import { type RedisStoreOptions, redisStore } from './redis-store.ts';

const ttlMs = 60_000;
const acceptMs = 1_000;
const libraries: readonly RedisLibrary[] = ['ioredis', 'redis'];

describe.each(libraries)('Redis over %s', (library) => {
  let server: RedisServer | undefined;
  let missing = '';
  const opened: (() => void | Promise<void>)[] = [];

  beforeAll(async () => {
    try {
      redisLibraryVersion(library);
      server = await startRedis();
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('is not installed'))) throw error;
      missing = error.message;
    }
  });
  beforeEach(({ skip }) => skip(missing !== '', missing));
  afterAll(async () => {
    for (const close of opened.splice(0)) await close();
    await server?.stop();
  });

  const running = (): RedisServer => {
    if (!server) throw new Error('not started');
    return server;
  };
  const openClient = async (): Promise<OpenedClient> => {
    const client = await openRedisClient(library, running().port);
    opened.push(client.close);
    return client;
  };
  const open = async (options: Partial<RedisStoreOptions> = {}): Promise<LeaseStore> => {
    const { client } = await openClient();
    const store = redisStore({ client, ...options });
    opened.unshift(store.close);
    return store;
  };
  const take = async (store: LeaseStore, key: string, owner: string): Promise<number> => {
    const reply = await store.acquire({ key, owner, ttlMs, line: false });
    if (!reply.granted) throw new Error(`${key} is held by ${reply.holder}`);
    return reply.lastToken;
  };

  it('a server that stands still: the call ends in time, the outcome is unknown, and it works again afterwards', async () => {
    const store = await open({ commandTimeoutMs: 200 });
    await take(store, 'warm', 'p.1@x');
    running().pause();
    try {
      await expect(store.acquire({ key: 'hung', owner: 'p.2@x', ttlMs, line: false })).rejects.toMatchObject({
        code: 'store-unavailable',
        retryable: true,
        message: expect.stringContaining('not known'),
      });
      await expect(store.list({ limit: 1 })).rejects.toMatchObject({ code: 'store-unavailable' });
      await expect(store.subscribe('p', () => {})).rejects.toMatchObject({ code: 'store-unavailable' });
    } finally {
      running().resume();
    }
    // The same grant id: whatever became of the first request, this is the same grant.
    expect(await store.acquire({ key: 'hung', owner: 'p.2@x', ttlMs, line: false })).toMatchObject({ granted: true });
  });

  it('a record lives for the idle time at least, however often it is taken', async () => {
    const { client } = await openClient();
    const store = redisStore({ client });
    const ask = async (script: string): Promise<unknown> =>
      'evalSha' in client
        ? client.eval(script, { keys: ['kannuki:{idle}'], arguments: [] })
        : client.eval(script, 1, 'kannuki:{idle}');
    for (const owner of ['p.1@x', 'p.2@x']) {
      const token = await take(store, 'idle', owner);
      expect(await ask(`return redis.call('PTTL', KEYS[1])`)).toBeGreaterThan(86_400_000);
      await store.release({ key: 'idle', owner, token, acceptMs });
    }
    // The last grant was in another hour: the next one sets the time anew.
    await ask(`redis.call('HSET', KEYS[1], 't', '1000') redis.call('PEXPIRE', KEYS[1], 60000) return 1`);
    await take(store, 'idle', 'p.3@x');
    expect(await ask(`return redis.call('PTTL', KEYS[1])`)).toBeGreaterThan(86_400_000);
  });

  it('a release runs a script only where somebody waits, or has waited', async () => {
    const store = await open();
    const { client } = await openClient();
    const scriptsRun = async (): Promise<number> => {
      const stats = String(await evaluate(client, `return redis.call('INFO', 'commandstats')`));
      const callsOf = (name: string): number =>
        Number(new RegExp(`cmdstat_${name}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
      // Each look is a script of its own.
      return callsOf('evalsha') + callsOf('eval');
    };
    const release = async (owner: string, token: number, handedOver: boolean): Promise<number> => {
      const before = await scriptsRun();
      expect(await store.release({ key: 'line', owner, token, acceptMs, handedOver })).toBe(true);
      return (await scriptsRun()) - before - 1;
    };
    expect(await release('p.1@x', await take(store, 'line', 'p.1@x'), false)).toBe(0);
    const token = await take(store, 'line', 'p.2@x');
    await store.acquire({ key: 'line', owner: 'p.3@x', ttlMs, line: true });
    await store.acquire({ key: 'line', owner: 'p.4@x', ttlMs, line: true });
    expect(await release('p.2@x', token, false)).toBeGreaterThan(0);
    const next = await take(store, 'line', 'p.3@x');
    // Whoever leaves the line empty gives the holder its plain name back.
    expect(await store.leave({ key: 'line', owner: 'p.4@x' })).toBe(true);
    expect(await release('p.3@x', next, false)).toBe(0);
  });

  it('a server that lost everything: numbers still rise, the old holder is refused, the scripts are sent again', async () => {
    const store = await open();
    const before = await take(store, 'wiped', 'p.1@x');
    await running().wipe();
    await running().restart();
    const after = await eventually(() => take(store, 'wiped', 'p.2@x'));
    expect(after).toBeGreaterThan(before);
    expect(await store.renew([{ key: 'wiped', owner: 'p.1@x', token: before, ttlMs }])).toEqual([false]);
    expect(await store.release({ key: 'wiped', owner: 'p.1@x', token: before, acceptMs })).toBe(false);
    expect(await store.release({ key: 'wiped', owner: 'p.2@x', token: after, acceptMs })).toBe(true);
  });

  it('a broken connection for notices says so, and the next subscription hears again', async () => {
    const store = await open();
    const first = await store.subscribe('p', () => {});
    expect(first.isLive()).toBe(true);
    await running().restart();
    await eventually(async () => expect(first.isLive()).toBe(false));
    let heard = (_: Notice): void => {};
    const notice = new Promise<Notice>((resolve) => {
      heard = resolve;
    });
    const second = await eventually(() => store.subscribe('p', (told) => heard(told)));
    const token = await eventually(() => take(store, 'again', 'q.1@x'));
    await store.acquire({ key: 'again', owner: 'p.1@x', ttlMs, line: true });
    await store.release({ key: 'again', owner: 'q.1@x', token, acceptMs });
    expect(await notice).toMatchObject({ kind: 'granted', key: 'again', owner: 'p.1@x', acceptMs });
    await second.close();
    await first.close();
  });

  it('renews more leases than one script takes, and tells which are not in force', async () => {
    const store = await open();
    const all = Array.from({ length: 1_100 }, (_, i) => `many ${i}`);
    const tokens = await Promise.all(all.map((key) => take(store, key, 'p.1@x')));
    await store.release({ key: 'many 700', owner: 'p.1@x', token: tokens[700] ?? 0, acceptMs });
    const renewed = await store.renew(all.map((key, i) => ({ key, owner: 'p.1@x', token: tokens[i] ?? 0, ttlMs })));
    expect(renewed.flatMap((yes, i) => (yes ? [] : [i]))).toEqual([700]);
  });

  it('a record that is not ours is reported and left alone', async () => {
    const store = await open();
    const { client } = await openClient();
    await evaluate(client, `return redis.call('SET', 'kannuki:{foreign}', 'hello')`);
    await evaluate(client, `return redis.call('HSET', 'kannuki:{hash}', 'a', '1')`);
    for (const key of ['foreign', 'hash']) {
      await expect(take(store, key, 'p.1@x')).rejects.toMatchObject({ code: 'store-corrupt' });
      await expect(store.release({ key, owner: 'p.1@x', token: 1, acceptMs })).rejects.toMatchObject({
        code: 'store-corrupt',
      });
    }
    expect(await evaluate(client, `return redis.call('GET', 'kannuki:{foreign}')`)).toBe('hello');
    await running().wipe();
  });

  it('a guarded script runs for the newest holder that has claimed, and for nobody else', async () => {
    const store = await open();
    const { client } = await openClient();
    const resource = 'orders/7';
    const write = (token: number, value: string, held = true) =>
      guardedEval({
        client,
        lease: { token, isHeld: () => held },
        resource,
        script: `redis.call('SET', KEYS[1], ARGV[1]) return { #KEYS, #ARGV, redis.call('GET', KEYS[1]) } -- done`,
        keys: ['{orders/7}:state'],
        args: [value],
      });
    expect(await write(100, 'unclaimed')).toEqual({ ran: false, token: 0 });
    await store.claim({ resource, token: 100 });
    expect(await write(100, 'first')).toEqual({ ran: true, value: [1, 1, 'first'] });
    await store.claim({ resource, token: 164 });
    expect(await write(100, 'late')).toEqual({ ran: false, token: 164 });
    expect(await write(200, 'not claimed yet')).toEqual({ ran: false, token: 164 });
    await expect(write(164, 'lost', false)).rejects.toMatchObject({ code: 'lost' });
    expect(await evaluate(client, `return redis.call('GET', '{orders/7}:state')`)).toBe('first');
    const lease = { token: 164, isHeld: () => true };
    const nothing = await guardedEval({ client, lease, resource, script: 'return nil' });
    expect(nothing).toEqual({ ran: true, value: null });
    for (const script of [`return redis.error_reply('ERR mine')`, `error('mine')`]) {
      await expect(guardedEval({ client, lease, resource, script })).rejects.toThrow(/mine/);
    }
  });
});

describe('options', () => {
  it('refuses what would not work, in one sentence', () => {
    expect(() => redisStore({ client: {} as never })).toThrow(/ioredis/);
    const prefixed = { evalsha: async () => null, options: { keyPrefix: 'app:' } } as never;
    expect(() => redisStore({ client: prefixed })).toThrow(/keyPrefix/);
    const client = { evalsha: async () => null } as never;
    expect(() => redisStore({ client, idleMs: 1_000 })).toThrow(/idleMs/);
    expect(() => redisStore({ client, commandTimeoutMs: 0 })).toThrow(/commandTimeoutMs/);
  });

  it('a client that cannot reach the server, or may not, is told apart', async () => {
    const failing = (message: string): LeaseStore => {
      const fail = async (): Promise<never> => {
        throw new Error(message);
      };
      return redisStore({ client: { evalsha: fail, eval: fail } as never });
    };
    const claim = (message: string): Promise<unknown> => failing(message).claim({ resource: 'r', token: 1 });
    await expect(claim('Connection is closed.')).rejects.toMatchObject({ code: 'store-unavailable', retryable: true });
    await expect(claim('READONLY You can’t write')).rejects.toMatchObject({ code: 'store-unavailable' });
    await expect(claim('NOAUTH Authentication required.')).rejects.toMatchObject({ code: 'store-refused' });
    await expect(claim('CROSSSLOT Keys in request')).rejects.toMatchObject({ code: 'unsupported' });
  });
});

async function evaluate(client: OpenedClient['client'], script: string): Promise<unknown> {
  return 'evalSha' in client ? client.eval(script, { keys: [], arguments: [] }) : client.eval(script, 0);
}

/** Tries until it works: clients come back in their own time, and nothing tells when. */
async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
