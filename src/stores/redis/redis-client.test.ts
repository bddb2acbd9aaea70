import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster } from 'redis';
import { expect, it } from 'vitest';
import type { RedisClient } from './redis-client.ts';
import { redisStore } from './redis-store.ts';

/** Compiled is half of the test: no cast stands between the libraries' own types and ours. */
const storeName = (client: RedisClient): string => redisStore({ client }).name;

it('takes clients and clusters of both libraries as their types are', () => {
  expect(storeName(new Redis({ lazyConnect: true }))).toBe('redis');
  expect(storeName(new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true }))).toBe('redis');
  expect(storeName(createClient())).toBe('redis');
  expect(storeName(createClient({ RESP: 3, url: 'redis://127.0.0.1:1' }))).toBe('redis');
  expect(storeName(createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:1' }] }))).toBe('redis');
});

it('takes nothing else', () => {
  // @ts-expect-error: not a client
  expect(() => storeName({})).toThrow(/neither evalsha nor evalSha/);
  // @ts-expect-error: a client that cannot subscribe
  const incomplete: RedisClient = { evalsha: () => Promise.resolve(), eval: () => Promise.resolve() };
  expect(incomplete).toBeDefined();
});
