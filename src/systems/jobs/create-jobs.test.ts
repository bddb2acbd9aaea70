/** The whole path on the databases that test/jobs does not use: PGlite with its one connection, and the oldest server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../test/jobs/until.ts';
import { startPostgres } from '../../../test/servers/postgres-server.ts';
import type { SqlDatabase } from '../../core/ports.ts';
import { pgliteDatabase } from '../../stores/pglite/index.ts';
import { postgresDatabase } from '../../stores/postgres/index.ts';
import { createJobs, type Jobs } from './create-jobs.ts';

describe.each(['PGlite', 'PostgreSQL 15'])('jobs on %s', (kind) => {
  let database: SqlDatabase;
  let stopServer: () => Promise<void> = async () => {};
  let jobs: Jobs;
  beforeAll(async () => {
    if (kind === 'PGlite') database = pgliteDatabase({ dir: 'memory' });
    else {
      const server = await startPostgres({ major: 15 });
      stopServer = () => server.stop();
      database = postgresDatabase({ connectionString: server.url });
    }
    jobs = createJobs({ database });
    await jobs.ready();
  }, 120_000);
  afterAll(async () => {
    await jobs?.close();
    await database?.close();
    await stopServer();
  });

  it('enqueue, claim, execute, finish: four versions, three transitions, results and logs', async () => {
    const seen: number[] = [];
    const add = jobs.define<{ a: number }>({
      name: 'add',
      handler({ payload, log }) {
        log(`got ${payload.a}`);
        seen.push(payload.a);
        return { sum: payload.a + 1 };
      },
    });
    const first = await add.enqueue({ a: 1 });
    const around: string[] = [];
    const worker = await jobs.startWorker({
      around(run, work) {
        around.push(`${run.job} ${run.id}`);
        return work();
      },
    });
    await until(async () => (await jobs.read.run(first.runId))?.state === 'SUCCEEDED', 'it ran');
    expect(await jobs.read.run(first.runId)).toMatchObject({
      result: { sum: 2 },
      version: 4,
      attempt: 1,
      workerId: worker.id,
    });
    expect(await jobs.read.transitions(first.runId)).toMatchObject([
      { from: 'PENDING', to: 'ASSIGNED', version: 2 },
      { from: 'ASSIGNED', to: 'RUNNING', version: 3 },
      { from: 'RUNNING', to: 'SUCCEEDED', version: 4 },
    ]);
    expect(await jobs.enqueueMany(Array.from({ length: 500 }, (_, a) => ({ job: 'add', payload: { a } })))).toEqual({
      created: 500,
      duplicates: 0,
    });
    await until(() => seen.length === 501, 'all ran');
    expect([around[0], around.length]).toEqual([`add ${first.runId}`, 501]);
    await worker.stop();
    expect((await jobs.read.workers())[0]).toMatchObject({ state: 'STOPPED', load: 0 });
  }, 60_000);

  it('keys, one at a time, rate limits, events: what needs a leader', async () => {
    const seen: string[] = [];
    const note = ({ payload }: { readonly payload: string }): void => void seen.push(payload);
    jobs.define<string>({ name: 'single', concurrency: 'forbid', handler: note });
    jobs.define<string>({ name: 'limited', rateLimit: { limit: 2, periodSeconds: 0.5 }, handler: note });
    jobs.define<string>({ name: 'heard', on: 'said', handler: note });
    const one = await jobs.enqueue('single', 'x', { idempotencyKey: 'k' });
    expect(await jobs.enqueue('single', 'x', { idempotencyKey: 'k' })).toEqual({ runId: one.runId, created: false });
    await jobs.enqueueMany(['a', 'b', 'c'].map((payload) => ({ job: 'limited', payload })));
    await jobs.emit('said', 'e');
    const worker = await jobs.startWorker({ heartbeatMs: 100 });
    const scheduler = await jobs.startScheduler({ tickMs: 50 });
    await until(() => seen.length === 5, 'all ran');
    expect([...seen].sort()).toEqual(['a', 'b', 'c', 'e', 'x']);
    await scheduler.stop();
    await worker.stop();
  }, 60_000);
});
