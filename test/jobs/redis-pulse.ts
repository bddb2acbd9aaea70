/**
 * Jobs with a real Redis beside the database: what it carries, and what becomes of the jobs when it is stopped, killed
 * or emptied. The database is the last word: without Redis nothing may run twice or be taken for silent.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { messagesFor } from '../../src/cli/messages.ts';
import { openJobsRedis } from '../../src/cli/open-jobs-redis.ts';
import type { SqlStatement } from '../../src/core/ports.ts';
import { postgresDatabase } from '../../src/stores/postgres/index.ts';
import type { Jobs, JobsRedisClient } from '../../src/systems/jobs/index.ts';
import { missingRedis } from '../servers/missing-redis.ts';
import { type OpenedClient, openRedisClient } from '../servers/redis-clients.ts';
import { type RedisServer, startRedis } from '../servers/redis-server.ts';
import { gate, until } from './until.ts';
import { noDelay, type WorkerRig } from './worker-rig.ts';

const messages = messagesFor({});
const missing = await missingRedis();

export function describeRedisPulse(rig: WorkerRig): void {
  describe.skipIf(missing !== undefined)('with Redis beside the database', () => {
    let redis: RedisServer;
    let client: OpenedClient;
    let look: OpenedClient;
    beforeAll(async () => {
      redis = await startRedis();
      look = await openRedisClient('ioredis', redis.port);
    });
    afterAll(async () => {
      look?.close();
      await redis?.stop();
    });
    afterEach(async () => {
      redis.resume();
      client?.close();
      await redis.wipe();
    });

    const ask = async (script: string, ...values: string[]): Promise<unknown> =>
      (look.client as { eval(script: string, keys: number, ...values: string[]): Promise<unknown> }).eval(
        script,
        0,
        ...values,
      );
    const keys = async (pattern: string): Promise<readonly string[]> =>
      (await ask(`return redis.call('KEYS', ARGV[1])`, pattern)) as string[];
    const open = async (library: 'ioredis' | 'redis' = 'ioredis'): Promise<Jobs> => {
      client = await openRedisClient(library, redis.port);
      return rig.open({ redis: client.client as JobsRedisClient });
    };
    const worker = async (): Promise<{ readonly state: string; readonly age: number; readonly seen: string }> => {
      const { rows } = await rig.real.query<{ state: string; age: number; seen: string }>({
        text: `select state, extract(epoch from now() - seen_at)::float8 as age, seen_at::text as seen from "${rig.real.schema}".workers order by id limit 1`,
      });
      return rows[0] ?? { state: 'none', age: 0, seen: '' };
    };
    const beats = (): number => rig.database.sent.get('heartbeat') ?? 0;
    const moreBeats = async (n: number): Promise<void> => {
      const before = beats();
      await until(() => beats() >= before + n, `${n} more heartbeats`);
    };
    /** The next beat that writes the row, or none within so many beats. */
    const writesWithin = async (n: number): Promise<boolean> => {
      const { seen } = await worker();
      await moreBeats(n);
      return (await worker()).seen !== seen;
    };

    it.each(['ioredis', 'redis'] as const)(
      'carries the beats (%s): the row is left alone, and a stop removes the key',
      async (library) => {
        const jobs = await open(library);
        jobs.define({ name: 'x', handler: () => undefined });
        const started = await jobs.startWorker({ heartbeatMs: 50 });
        await until(async () => (await keys('*:worker:*')).length === 1, 'a beat is in Redis');
        await moreBeats(2);
        expect(await writesWithin(10)).toBe(false);
        await started.stop();
        expect(await keys('*:worker:*')).toEqual([]);
      },
    );

    it('is written into the rows by the leader before they are old', async () => {
      const jobs = await open();
      await jobs.setSetting('worker_silent_after_seconds', 2);
      jobs.define({ name: 'x', handler: () => undefined });
      await jobs.startWorker({ heartbeatMs: 50 });
      await jobs.startScheduler({ tickMs: 50 });
      await until(() => (rig.database.sent.get('hearWorkers') ?? 0) >= 2, 'the leader writes what Redis heard');
      expect((await worker()).age).toBeLessThan(1.5);
    });

    it('leases a run that is given away; one with a later epoch’s lease is left alone', async () => {
      const jobs = await open();
      const ran: number[] = [];
      jobs.define({ name: 'x', concurrency: 'forbid', handler: ({ run }) => void ran.push(run.id) });
      const { runId } = await jobs.enqueue('x');
      await jobs.startWorker({ heartbeatMs: 50 });
      const scheduler = await jobs.startScheduler({ tickMs: 30 });
      await rig.ended(runId);
      const [key = ''] = await keys(`*:jobrun:lease:${runId}`);
      expect(await ask(`return redis.call('GET', ARGV[1])`, key)).toBe(String(scheduler.epoch));
      // As if a later leader were giving the next one away.
      const next = key.replace(/\d+$/, String(runId + 1));
      await ask(`return redis.call('SET', ARGV[1], ARGV[2])`, next, String((scheduler.epoch ?? 0) + 1));
      const second = await jobs.enqueue('x');
      expect(second.runId).toBe(runId + 1);
      const ticks = rig.database.sent.get('listGated') ?? 0;
      await until(() => (rig.database.sent.get('listGated') ?? 0) > ticks + 5, 'ticks pass');
      expect(await jobs.read.run(second.runId)).toMatchObject({ state: 'PENDING' });
      // Redis forgets: the database decides alone.
      await redis.wipe();
      await rig.ended(second.runId);
      expect(ran).toEqual([runId, second.runId]);
    });

    describe('and it fails', () => {
      interface Begun {
        readonly jobs: Jobs;
        readonly runId: number;
        starts(): number;
        finish(): void;
      }
      const begin = async (jobs: Jobs): Promise<Begun> => {
        await jobs.setSetting('worker_silent_after_seconds', 1);
        await jobs.setSetting('continuation_margin_seconds', 0.2);
        await jobs.setSetting('continuation_retry_interval_seconds', 0.1);
        const started = gate();
        const end = gate();
        let starts = 0;
        jobs.define({
          name: 'long',
          backoff: noDelay,
          handler: async () => {
            starts++;
            started.open();
            await end.opened;
          },
        });
        const { runId } = await jobs.enqueue('long');
        await jobs.startWorker({ heartbeatMs: 100, graceMs: 100 });
        await jobs.startScheduler({ tickMs: 50 });
        await started.opened;
        await until(async () => (await keys('*:worker:*')).length === 1, 'a beat is in Redis');
        return { jobs, runId, starts: () => starts, finish: () => end.open() };
      };
      it('stands still, starts empty, is emptied, loses its connections: nobody is taken for silent', async () => {
        const { jobs, runId, starts, finish } = await begin(await open());
        const fails = [() => redis.wipe(), () => redis.dropConnections(), () => redis.restart(), () => redis.pause()];
        for (const fail of fails) {
          await fail();
          // Longer than a worker may be silent, by the clock that judges.
          await rig.real.query({ text: 'select pg_sleep(1.4)' });
          expect(await jobs.read.run(runId)).toMatchObject({ state: 'RUNNING', continuation: 'NONE' });
        }
        finish();
        expect(await rig.ended(runId)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
        expect(starts()).toBe(1);
      });

      it('and this is seen: a worker that leaves its row to Redis alone is taken for silent', async () => {
        const { query } = rig.database;
        rig.database.query = (statement: SqlStatement) => {
          const planted = statement.name?.startsWith('kannuki_jobs_heartbeat_')
            ? { ...statement, values: [...(statement.values ?? []).slice(0, 5), 3_600] }
            : statement;
          return query(planted);
        };
        const { runId, finish } = await begin(await open());
        redis.pause();
        await until(async () => (await rig.successorOf(runId)) !== undefined, 'the run is given up');
        finish();
      });

      it('takes the beats again when it is back', async () => {
        const { finish } = await begin(await open());
        redis.pause();
        await moreBeats(8);
        expect(await writesWithin(2)).toBe(true);
        const carried = rig.database.sent.get('hearWorkers') ?? 0;
        redis.resume();
        await until(() => (rig.database.sent.get('hearWorkers') ?? 0) > carried, 'the leader hears of it from Redis');
        finish();
      });
    });

    it('comes from REDIS_URL, and need not be there', async () => {
      await expect(openJobsRedis('http://127.0.0.1', messages)).rejects.toThrow(/REDIS_URL/);
      const here = await openJobsRedis(redis.url, messages);
      const gone = await openJobsRedis('redis://127.0.0.1:1', messages);
      for (const each of [here, gone]) {
        const jobs = rig.open({ redis: each.client });
        jobs.define({ name: 'x', handler: () => undefined });
        await jobs.startWorker({ heartbeatMs: 50 });
        await rig.ended((await jobs.enqueue('x')).runId);
        if (each === here) await until(async () => (await keys('*:worker:*')).length === 1, 'a beat is in Redis');
        await jobs.close();
        each.end();
      }
    });

    it('hides nobody who is cut off from the database: the run is another’s in the usual time', async () => {
      const away = await open();
      await away.setSetting('worker_silent_after_seconds', 1);
      await away.setSetting('continuation_margin_seconds', 0.3);
      await away.setSetting('continuation_retry_interval_seconds', 0.1);
      const events: string[] = [];
      const started = gate();
      away.define({
        name: 'x',
        backoff: noDelay,
        handler: async ({ signal }) => {
          events.push('first');
          started.open();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          events.push('first told to stop');
        },
      });
      const { runId } = await away.enqueue('x');
      await away.startWorker({ heartbeatMs: 100 });
      await started.opened;
      const database = postgresDatabase({ connectionString: rig.server.url, schema: rig.real.schema });
      const redisToo = client.client as JobsRedisClient;
      const heir = rig.open({ database, redis: redisToo });
      heir.define({ name: 'x', backoff: noDelay, handler: () => void events.push('second') });
      await heir.startScheduler({ tickMs: 50 });
      await heir.startWorker({ heartbeatMs: 100, workWhileLeading: true });
      rig.database.fault = () => 'cut';
      await until(() => events.includes('second'), 'the next attempt');
      expect(events).toEqual(['first', 'first told to stop', 'second']);
      rig.database.fault = () => undefined;
      expect(await rig.ended(runId)).toMatchObject({ reason: expect.stringMatching(/worker-(silent|cut-off)/) });
      await heir.close();
      await database.close();
    });
  });
}
