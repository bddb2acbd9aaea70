/**
 * Eight clients and fifty keys on a real Redis server: what they saw must fit one order. The same recorder and checker
 * must reject a server whose scripts are wrong, so scripts with a mistake are run too.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import type { IoRedisClient } from '../../src/stores/redis/redis-client.ts';
import { redisStore } from '../../src/stores/redis/redis-store.ts';
import { type CheckResult, checkHistory } from '../../src/testing/linearizability.ts';
import { recordHistory } from '../../src/testing/record-history.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { missingRedis } from '../servers/missing-redis.ts';
import { openRedisClient, type RedisLibrary } from '../servers/redis-clients.ts';
import { type RedisServer, startRedis } from '../servers/redis-server.ts';
import { faultRounds, reportFault } from './fault-rounds.ts';

const clients = 8;
const rounds = faultRounds('REDIS_HISTORIES', 1);

/** One mistake each: what a script says, and what it says instead. */
const mistakes: Readonly<Record<string, readonly [string, string]>> = {
  'grants a little before the end': [
    'if x.e > now then table.insert(live, x) end',
    'if x.e > now + 60000 then table.insert(live, x) end',
  ],
  'revives by a renewal': ['if e > now then', 'if e > now - 150000 then'],
  'releases for anybody': ["if x.o == owner and (token == '' or digits(x.n) == token) then", 'if true then'],
  'serves the line from its end': ['table.remove(r.line, 1)', 'table.remove(r.line)'],
};

describe('histories of Redis', () => {
  let server: RedisServer;
  let missing: string | undefined;
  beforeAll(async () => {
    missing = await missingRedis();
    if (missing === undefined) server = await startRedis();
  });
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  afterAll(() => server?.stop());

  it(`${rounds} × ${clients} clients, 50 keys: they fit one order`, { timeout: 60_000 + rounds * 30_000 }, async () => {
    let operations = 0;
    for (let round = 0; round < rounds; round++) {
      const seed = platform.random.hex(4);
      const library = round % 2 ? 'redis' : 'ioredis';
      const result = await record({ library, seed, keys: 50, attempts: 60 });
      expect(result, `seed ${seed}: ${JSON.stringify(result)}`).toMatchObject({ ok: true });
      if (result.ok) operations += result.operations;
    }
    reportFault({ experiment: 'redis-histories', rounds, clients, keys: 50, operations });
    expect(operations).toBeGreaterThan(rounds * 500);
  });

  for (const [name, mistake] of Object.entries(mistakes)) {
    it(`a server that ${name} is rejected`, { timeout: 120_000 }, async () => {
      for (let tries = 0; tries < 10; tries++) {
        const result = await record({ library: 'ioredis', seed: `${tries}`, keys: 2, attempts: 40, mistake });
        if (!result.ok) return expect(result.reason).not.toMatch(/undecided/);
      }
      expect.fail('no history was rejected');
    });
  }

  async function record(options: {
    readonly library: RedisLibrary;
    readonly seed: string;
    readonly keys: number;
    readonly attempts: number;
    readonly mistake?: readonly [string, string];
  }): Promise<CheckResult> {
    const { library, seed, mistake } = options;
    const prefix = platform.random.hex(4);
    const opened = await Promise.all(Array.from({ length: clients }, () => openRedisClient(library, server.port)));
    const stores = opened.map(({ client }) =>
      redisStore({ client: mistake && !('evalSha' in client) ? withMistake(client, mistake) : client }),
    );
    try {
      const history = await recordHistory({
        stores,
        clock: platform.clock,
        random: seededRandom(seed),
        keys: Array.from({ length: options.keys }, (_, i) => `${prefix}-${i}`),
        attempts: options.attempts,
        ttlMs: 200,
      });
      return checkHistory(history, { slackMs: 3 });
    } finally {
      for (const store of stores) await store.close();
      for (const { close } of opened) close();
    }
  }
});

/** A client that puts a mistake into every script that goes through it. */
function withMistake(client: IoRedisClient, [said, instead]: readonly [string, string]): IoRedisClient {
  let changed = false;
  return {
    evalsha: () => Promise.reject(new Error('NOSCRIPT send the text')),
    eval(script, keyCount, ...words) {
      const wrong = script.replaceAll(said, instead);
      changed ||= wrong !== script;
      return client.eval(wrong, keyCount, ...words);
    },
    // Nothing to delete, so that the script is asked.
    hdel: async () => 0,
    scan: (cursor, match, pattern, count, n) => client.scan(cursor, match, pattern, count, n),
    subscribe: (channel) => client.subscribe(channel),
    unsubscribe: (channel) => client.unsubscribe(channel),
    on: (event, listener) => client.on(event, listener),
    off: (event, listener) => client.off(event, listener),
    duplicate: () => client.duplicate(),
    disconnect() {
      // A mistake that is not in any script would be found by nobody, and prove nothing.
      if (!changed) throw new Error(`No script says ${said}`);
      client.disconnect();
    },
  };
}
