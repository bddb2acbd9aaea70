/**
 * A holder on Redis is killed, stopped past its TTL, or loses its server in the middle of its section; another takes
 * over. The server keeps a log of the fenced writes it took: they must be those of one holder after the other.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { missingRedis } from '../servers/missing-redis.ts';
import { openRedisClient } from '../servers/redis-clients.ts';
import { faultRounds, reportFault } from './fault-rounds.ts';
import { faultOfLog, parseLog } from './fenced-log.ts';
import { createFleet, type Fleet, type StoreSpec, type Worker } from './fleet.ts';
import { repeatRounds } from './repeat-rounds.ts';
import { openTestStore, type TestStore } from './test-stores.ts';

interface Held {
  readonly acquired: true;
  readonly token: number;
  readonly value: number;
  readonly claimed: boolean;
}

type Written = { readonly written: boolean };

const ttlMs = 400;
const rounds = faultRounds('REDIS_KILL_AND_STOP', 6);
const faults = ['kill', 'stop', 'restart'] as const;
const libraries = ['ioredis', 'redis'] as const;

describe('holders that die, sleep, or lose their server, on Redis', () => {
  let store: TestStore;
  let missing: string | undefined;
  beforeAll(async () => {
    missing = await missingRedis();
    if (missing === undefined) store = await openTestStore('redis');
  });
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  afterAll(() => store?.[Symbol.asyncDispose]());

  it(`${rounds} rounds of kill -9, SIGSTOP and server restarts: no overlap of fenced writes`, {
    timeout: 3_600_000,
  }, async () => {
    await using fleet = createFleet();
    const counts = { kill: 0, stop: 0, restart: 0, writesTaken: 0, lateWritesRefused: 0, lostWithoutFence: 0 };
    const pairs = await Promise.all(libraries.map((library) => pairOf(fleet, library)));
    const { late } = await repeatRounds(rounds, async (name, round) => {
      const fault = faults[round % faults.length] ?? 'kill';
      const at = Math.floor(round / faults.length) % pairs.length;
      const pair = pairs[at];
      if (!pair) throw new Error('no pair');
      const key = `${fault}-${name}`;
      let refused = 0;
      try {
        if (fault === 'restart') await restartUnder(pair, key);
        else refused = await takeOver(pair, key, fault, round);
      } catch (error) {
        // Whatever state they were left in: others take their places.
        await Promise.all([pair.first.kill(), pair.second.kill()]);
        pairs[at] = await pairOf(fleet, libraries[at] ?? 'ioredis');
        throw error;
      }
      const { log, plain } = await documentOf(key);
      expect(faultOfLog(parseLog(log)), `${key}: ${log.join(' ')}`).toBeUndefined();
      expect(log, 'both holders, or the second one alone, have written').toHaveLength(fault === 'restart' ? 2 : 1);
      counts[fault] += 1;
      counts.lateWritesRefused += refused;
      counts.writesTaken += log.length;
      if (fault === 'stop' && plain < 2) counts.lostWithoutFence += 1;
    });
    reportFault({ experiment: 'redis-kill-and-stop', rounds, lateRounds: late, ttlMs, ...counts });
    expect(counts.lateWritesRefused).toBe(counts.kill + counts.stop);
    expect(counts.lostWithoutFence, 'without a fence updates are lost').toBeGreaterThan(0);
  });

  it('a fence that is compared on the client, before the write, is found out by the log', async () => {
    await using fleet = createFleet();
    const pair = await pairOf(fleet, 'ioredis', 'client');
    const key = 'planted';
    expect(await takeOver(pair, key, 'stop', 0), 'late writes refused').toBe(0);
    const { log } = await documentOf(key);
    expect(faultOfLog(parseLog(log))).toMatch(/^write 2 /);
  });

  /** The first holder is killed or stopped; returns how many of its late writes were refused. */
  async function takeOver(pair: Pair, key: string, fault: 'kill' | 'stop', round: number): Promise<number> {
    const before = await pair.first.ask<Held>({ command: 'hold', key });
    await pair.first.ask({ command: 'prepare', key });
    const stoppedMs = performance.now();
    if (fault === 'kill') await pair.first.kill();
    else pair.first.signal('SIGSTOP');
    const after = await pair.second.ask<Held>({ command: 'hold', key });
    expect(after).toMatchObject({ acquired: true, claimed: true, value: 0 });
    expect(after.token).toBeGreaterThan(before.token);
    expect(await pair.second.ask<Written>({ command: 'write', key })).toMatchObject({ written: true });
    let late: Written;
    if (fault === 'stop') {
      // Real time: the point is a sleep of a given multiple of the TTL.
      const sleepMs = ttlMs * (1.5 + ((round * 7) % 10) / 4) - (performance.now() - stoppedMs);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, sleepMs)));
      pair.first.signal('SIGCONT');
      expect(await pair.first.ask({ command: 'state' }), 'the woken holder knows').toMatchObject({ held: false });
      late = await pair.first.ask<Written>({ command: 'writeLate', key });
    } else {
      // What it had sent, and the network delivers now.
      late = await pair.second.ask<Written>({ command: 'deliver', key, token: before.token, value: 1 });
    }
    await pair.second.ask({ command: 'release' });
    if (fault === 'kill') pair.first = await pair.start();
    return late.written ? 0 : 1;
  }

  /** The server is killed with -9 while one holds and one waits in line; it comes back with what it had answered. */
  async function restartUnder(pair: Pair, key: string): Promise<void> {
    await pair.first.ask<Held>({ command: 'hold', key });
    const waiting = pair.second.ask<Held>({ command: 'hold', key });
    await store.redis?.restart();
    // Still held and written; or refused because the restart took too long; or not known.
    const written = await pair.first.ask<Written>({ command: 'write', key }).catch(() => undefined);
    await pair.first.ask({ command: 'release' });
    const after = await waiting;
    expect(after).toMatchObject({ acquired: true, claimed: true });
    if (written) expect(after.value).toBe(written.written ? 1 : 0);
    expect(await pair.second.ask<Written>({ command: 'write', key })).toMatchObject({ written: true });
    await pair.second.ask({ command: 'release' });
    if (after.value === 1) return;
    await pair.first.ask<Held>({ command: 'hold', key });
    expect(await pair.first.ask<Written>({ command: 'write', key })).toMatchObject({ written: true });
    await pair.first.ask({ command: 'release' });
  }

  async function documentOf(key: string): Promise<{ readonly log: readonly string[]; readonly plain: number }> {
    const { client, close } = await openRedisClient('ioredis', store.redis?.port ?? 0);
    if ('evalSha' in client) throw new Error('not ioredis');
    try {
      const script = `return { redis.call('GET', KEYS[1]) or '0', unpack(redis.call('LRANGE', KEYS[2], 0, -1)) }`;
      const [plain, ...log] = (await client.eval(script, 2, `{${key}}:plain`, `{${key}}:log`)) as string[];
      return { log, plain: Number(plain) };
    } finally {
      close();
    }
  }

  async function pairOf(fleet: Fleet, library: 'ioredis' | 'redis', fence?: 'server' | 'client'): Promise<Pair> {
    const spec: StoreSpec = { kind: 'redis', port: store.redis?.port ?? 0, library, ...(fence && { fence }) };
    const start = (): Promise<Worker> => fleet.start({ store: spec, ttlMs });
    const [first, second] = await Promise.all([start(), start()]);
    return { first, second, start };
  }
});

/** Two processes that want the same document. */
interface Pair {
  first: Worker;
  readonly second: Worker;
  start(): Promise<Worker>;
}
