/**
 * Four keepers work on Redis while its server is killed, comes back with its data or empty, stands still, or drops all
 * connections in the middle of commands. Everything that fails must be a LeaseError that somebody awaits, numbers must
 * rise over every one of these faults, and afterwards everybody works again.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LeaseError } from '../../src/core/errors.ts';
import { createLeases, type Leases } from '../../src/engine/lease-keeper.ts';
import { redisStore } from '../../src/stores/redis/redis-store.ts';
import { missingRedis } from '../servers/missing-redis.ts';
import { openRedisClient, type RedisLibrary } from '../servers/redis-clients.ts';
import { type RedisServer, startRedis } from '../servers/redis-server.ts';
import { faultRounds, reportFault } from './fault-rounds.ts';

const ttlMs = 600;
/** What each keeper works on. */
const keys = ['short', 'short', 'short', 'long'] as const;
const rounds = faultRounds('REDIS_FAULTS', 1);

type Fault = (server: RedisServer) => Promise<void>;

/** Real time: how long the server is away is what the fault is. */
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const faults: Readonly<Record<string, Fault>> = {
  'is killed and comes back with its data': (server) => server.restart(),
  'comes back empty': async (server) => {
    await server.wipe();
    await server.restart();
  },
  'stands still for 2 × TTL': async (server) => {
    server.pause();
    await wait(ttlMs * 2);
    server.resume();
  },
  'drops all connections, again and again': async (server) => {
    for (let i = 0; i < 10; i++) {
      await server.dropConnections();
      await wait(30);
    }
  },
};

describe.each<RedisLibrary>(['ioredis', 'redis'])('Redis over %s', (library) => {
  let server: RedisServer;
  let missing: string | undefined;
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  beforeAll(async () => {
    missing = await missingRedis();
    if (missing === undefined) server = await startRedis({ appendonly: true });
    process.on('unhandledRejection', note);
  });
  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  afterAll(async () => {
    process.off('unhandledRejection', note);
    await server?.stop();
  });

  for (const [name, inflict] of Object.entries(faults)) {
    it(`${rounds} × a server that ${name}`, { timeout: 60_000 + rounds * 30_000 }, async () => {
      const workers = await Promise.all(keys.map((key) => startWorker(library, server.port, key)));
      try {
        for (let round = 0; round < rounds; round++) {
          await Promise.all(workers.map((worker) => worker.works()));
          // In the middle of a long section.
          await workers.at(-1)?.begins();
          await inflict(server);
          // Everybody gets a lease again, however long the clients take to connect.
          await Promise.all(workers.map((worker) => worker.works()));
        }
      } finally {
        await Promise.all(workers.map((worker) => worker.stop()));
      }
      // A rejection that nobody handled is reported in a later turn of the loop.
      await wait(50);
      const sections = workers.flatMap((worker) => worker.sections);
      const failures = workers.flatMap((worker) => worker.failures);
      const codes = failures.map((error) => (error instanceof LeaseError ? error.code : String(error)));
      reportFault({
        experiment: `redis ${name}`,
        library,
        rounds,
        sections: sections.length,
        failures: failures.length,
        codes: [...new Set(codes)].sort(),
        unhandled: unhandled.length,
      });
      expect(unhandled).toEqual([]);
      // A fault that nobody noticed would prove nothing.
      if (name.startsWith('stands still')) expect(codes).toContain('lost');
      for (const code of codes) expect(['store-unavailable', 'lost', 'wait-timeout']).toContain(code);
      for (const key of new Set(keys)) expect(repeated(sections.filter((section) => section.key === key))).toEqual([]);
    });
  }
});

interface Section {
  readonly key: string;
  readonly token: number;
}

interface Worker {
  readonly sections: readonly Section[];
  readonly failures: readonly unknown[];
  /** Resolves when it begins its next section. */
  begins(): Promise<void>;
  /** Resolves when it has done one more section. */
  works(): Promise<void>;
  stop(): Promise<void>;
}

/** Takes a lease again and again for as long as it is not stopped, and notes what happens. */
async function startWorker(library: RedisLibrary, port: number, key: (typeof keys)[number]): Promise<Worker> {
  const { client, close } = await openRedisClient(library, port);
  const store = redisStore({ client, commandTimeoutMs: 1_000 });
  const leases: Leases = createLeases({ store, ttlMs });
  const sections: Section[] = [];
  const failures: unknown[] = [];
  const begun = createBell();
  const done = createBell();
  let running = true;
  const run = async (): Promise<void> => {
    while (running) {
      try {
        await leases.withLease(key, { waitMs: 5_000 }, async (lease) => {
          sections.push({ key, token: lease.token });
          begun.ring();
          // Short ones are cut in their commands, long ones in their renewals.
          await wait(key === 'long' ? ttlMs * 1.5 : 5);
        });
        done.ring();
      } catch (error) {
        failures.push(error);
        await wait(20);
      }
    }
  };
  const over = run();
  return {
    sections,
    failures,
    begins: begun.next,
    works: done.next,
    async stop() {
      running = false;
      await over;
      await leases.close();
      await store.close();
      close();
    },
  };
}

function createBell(): { ring(): void; next(): Promise<void> } {
  let waiting: (() => void)[] = [];
  return {
    ring() {
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
  };
}

/** Tokens that two sections had. */
function repeated(sections: readonly Section[]): readonly number[] {
  const seen = new Set<number>();
  return sections.map(({ token }) => token).filter((token) => seen.size === seen.add(token).size);
}
