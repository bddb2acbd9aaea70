import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresServer, startPostgres } from '../../../test/servers/postgres-server.ts';
import type { EffectQueue, EffectRun } from '../../core/effect-queue.ts';
import type { SqlDatabase } from '../../core/ports.ts';
import { migrate } from '../../engine/migrate.ts';
import { leaseMigrations } from '../../sql/lease-migrations.ts';
import { postgresDatabase } from '../../stores/postgres/index.ts';
import { createJobs, type Jobs } from './create-jobs.ts';
import { jobsEffectQueue } from './jobs-effect-queue.ts';
import { jobMigrations } from './migrations/job-migrations.ts';

describe('jobs as the queue of effects', () => {
  let server: PostgresServer;
  let database: SqlDatabase;
  let jobs: Jobs;
  let effects: EffectQueue;
  const calls: EffectRun[] = [];
  let heard: () => void = () => {};

  /** Resolves at the next call of the handler. */
  const nextCall = () =>
    new Promise<void>((resolve) => {
      heard = resolve;
    });

  beforeAll(async () => {
    server = await startPostgres({ major: 18 });
    database = postgresDatabase({ connectionString: server.url });
    await migrate(database, [leaseMigrations, jobMigrations]);
    jobs = createJobs({ database });
    effects = jobsEffectQueue(jobs, { backoff: { baseMs: 1, maxMs: 1 } });
    effects.handle('effect', async (run) => {
      calls.push(run);
      heard();
      const { payload } = run as EffectRun<{ readonly do: string }>;
      if (payload.do === 'fail once' && run.attempt === 1) throw new Error('once');
      if (payload.do === 'again' && calls.filter(({ key }) => key === run.key).length < 3)
        return { kind: 'again', afterMs: 1 };
      return { kind: 'done' };
    });
    await jobs.ready();
    await jobs.startWorker({ queues: ['kannuki'] });
  });
  afterAll(async () => {
    await jobs?.close();
    await database?.close();
    await server?.stop();
  });

  const of = (key: string) => calls.filter((call) => call.key === key);

  it('runs what was enqueued with its cause, once per key', async () => {
    const called = nextCall();
    const first = await database.transaction((tx) => effects.enqueue(tx, 'effect', { do: 'it' }, { key: 'one' }));
    await called;
    const second = await database.transaction((tx) => effects.enqueue(tx, 'effect', { do: 'it' }, { key: 'one' }));
    expect([first, second]).toEqual([true, false]);
    expect(of('one')).toEqual([{ payload: { do: 'it' }, key: 'one', attempt: 1 }]);
  });

  it('forgets what was enqueued with a cause that was undone', async () => {
    await expect(
      database.transaction(async (tx) => {
        await effects.enqueue(tx, 'effect', { do: 'it' }, { key: 'undone' });
        throw new Error('undo');
      }),
    ).rejects.toThrow('undo');
    const { rows } = await database.query({
      text: `select 1 from kannuki.job_runs_all where payload->>'key' = 'undone'`,
    });
    expect(rows).toEqual([]);
  });

  it('tries again what failed, and calls again who asked for it', async () => {
    for (const [key, todo, times] of [
      ['failing', 'fail once', 2],
      ['asking', 'again', 3],
    ] as const) {
      await database.transaction((tx) => effects.enqueue(tx, 'effect', { do: todo }, { key }));
      while (of(key).length < times) await nextCall();
      expect(of(key).map(({ key: same }) => same)).toEqual(Array.from({ length: times }, () => key));
    }
  });
});
