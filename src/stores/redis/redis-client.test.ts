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
  type Fits<T> = T extends RedisClient ? true : false;
  const nothing: Fits<object> = false;
  const withoutSubscriptions: Fits<Omit<Redis, 'subscribe'>> = false;
  expect([nothing, withoutSubscriptions]).toEqual([false, false]);
  expect(() => storeName({} as RedisClient)).toThrow(/neither evalsha nor evalSha/);
});
