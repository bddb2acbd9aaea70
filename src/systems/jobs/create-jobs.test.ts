import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import { startPostgres } from '../../../test/servers/postgres-server.ts';
import type { SqlDatabase } from '../../core/ports.ts';
import { pgliteDatabase } from '../../stores/pglite/index.ts';
import { postgresDatabase } from '../../stores/postgres/index.ts';
import { createJobs, type Jobs } from './create-jobs.ts';

const consoleLogger = { debug: console.log, info: console.log, warn: console.log, error: console.log };

describe.each(['pglite', 'postgres 15', 'postgres 18'])('jobs on %s', (kind) => {
  let database: SqlDatabase;
  let stopServer: () => Promise<void> = async () => {};
  let jobs: Jobs;
  beforeAll(async () => {
    if (kind === 'pglite') database = pgliteDatabase({ dir: 'memory' });
    else {
      const server = await startPostgres({ major: kind === 'postgres 15' ? 15 : 18 });
      stopServer = () => server.stop();
      database = postgresDatabase({ connectionString: server.url });
    }
    jobs = createJobs({ database, logs: false, ...(process.env.VERBOSE && { logger: consoleLogger }) });
  });
  afterAll(async () => {
    await jobs?.close();
    await database?.close();
    await stopServer();
  });

  it('runs what was enqueued', async () => {
    const seen: unknown[] = [];
    const add = jobs.define<{ a: number }>({
      name: 'add',
      handler: ({ payload, run, startToken }) => {
        seen.push([payload.a, run.attempt, typeof startToken]);
        return { sum: payload.a + 1 };
      },
    });
    const first = await add.enqueue({ a: 1 });
    expect(first.created).toBe(true);
    const worker = await jobs.startWorker();
    const scheduler = await jobs.startScheduler();
    await waitFor(async () => (await jobs.read.run(first.runId))?.state === 'SUCCEEDED');
    expect(await jobs.read.run(first.runId)).toMatchObject({ result: { sum: 2 }, version: 4, attempt: 1 });
    await jobs.enqueueMany(Array.from({ length: 1000 }, (_, a) => ({ job: 'add', payload: { a } })));
    await waitFor(() => seen.length === 1001);
    expect(await jobs.read.transitions(first.runId)).toMatchObject([
      { from: 'PENDING', to: 'ASSIGNED', version: 2 },
      { from: 'ASSIGNED', to: 'RUNNING', version: 3 },
      { from: 'RUNNING', to: 'SUCCEEDED', version: 4 },
    ]);
    await worker.stop();
    await scheduler.stop();
  });

  it('keyed, gated, limited', async () => {
    const seen: string[] = [];
    jobs.define<string>({ name: 'one', concurrency: 'forbid', handler: ({ payload }) => void seen.push(payload) });
    jobs.define<string>({
      name: 'ltd',
      rateLimit: { limit: 2, periodSeconds: 1 },
      handler: ({ payload }) => void seen.push(payload),
    });
    const a = await jobs.enqueue('one', 'x', { idempotencyKey: 'k' });
    expect(await jobs.enqueue('one', 'x', { idempotencyKey: 'k' })).toEqual({ runId: a.runId, created: false });
    await jobs.enqueueMany(['a', 'b', 'c'].map((payload) => ({ job: 'ltd', payload })));
    const worker = await jobs.startWorker();
    const scheduler = await jobs.startScheduler();
    await waitFor(() => seen.length === 4);
    await worker.stop();
    await scheduler.stop();
  });
});

async function waitFor(check: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; !(await check()); i++) {
    if (i > 1_000) throw new Error('waited too long');
    await new Promise<void>((resolve) => void platform.clock.after(10, resolve));
  }
}
