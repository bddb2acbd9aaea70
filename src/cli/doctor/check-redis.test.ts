import { expect, it } from 'vitest';
import { checkRedis } from './check-redis.ts';

const sections = (fields: Readonly<Record<string, string>>) => (): Promise<string> =>
  Promise.resolve(
    Object.entries(fields)
      .map(([name, value]) => `${name}:${value}\r\n`)
      .join(''),
  );

it('is content with a server that keeps what it is told', async () => {
  const good = { redis_version: '7.0.15', maxmemory: '100', maxmemory_policy: 'noeviction', aof_enabled: '1' };
  expect((await checkRedis(sections(good))).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
});

it('says what would be forgotten, and by whom', async () => {
  const bad = { redis_version: '6.0.1', maxmemory: '100', maxmemory_policy: 'allkeys-lru', aof_enabled: '0' };
  const findings = await checkRedis(sections(bad));
  expect(findings.map(({ status }) => status)).toEqual(['fail', 'warn', 'warn']);
  expect(findings.map(({ fix }) => fix)).toEqual([
    'install Redis 6.2 or newer',
    'set maxmemory-policy noeviction',
    'set appendonly yes, or fence in a database',
  ]);
});

it('a server that does not tell is a warning', async () => {
  const findings = await checkRedis(() => Promise.reject(new Error('NOPERM')));
  expect(findings).toMatchObject([{ status: 'warn', detail: 'it does not tell its settings: NOPERM' }]);
});
