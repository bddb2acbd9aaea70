/** A handler that blocks the event loop makes its worker silent; its run is repeated elsewhere and others go on. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresDatabase } from '../../src/stores/postgres/index.ts';
import { createJobs, type JobRun, type Jobs } from '../../src/systems/jobs/index.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres-server.ts';

const script = fileURLToPath(new URL('blocking-worker.mjs', import.meta.url));
let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres({ major: 18 });
});
afterAll(() => server?.stop());

async function untilEnded(jobs: Jobs, find: () => Promise<JobRun | undefined>): Promise<JobRun> {
  // The end of a run is told to nobody but its worker.
  for (let n = 0; n < 1_500; n++) {
    const run = await find();
    if (run?.finishedAtMs) return run;
    await sleep(20);
  }
  throw new Error(`not ended: ${JSON.stringify(await jobs.read.runs())}`);
}

it('a worker that is blocked counts as silent', { timeout: 120_000 }, async () => {
  const database = postgresDatabase({ connectionString: server.url });
  const jobs = createJobs({ database });
  const child = spawn(process.execPath, [script, server.url], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    jobs.define({ name: 'block', backoff: { baseMs: 0, maxMs: 0 }, handler: () => 'elsewhere' });
    jobs.define({ name: 'other', handler: () => 'undisturbed' });
    await jobs.setSetting('worker_silent_after_seconds', 1);
    await jobs.startScheduler({ tickMs: 100 });
    const { runId } = await jobs.enqueue('block');
    const [said] = await once(child.stdout, 'data');
    expect(String(said)).toBe('blocked\n');
    await jobs.startWorker({ workWhileLeading: true });
    const other = await jobs.enqueue('other');
    expect(await untilEnded(jobs, () => jobs.read.run(other.runId))).toMatchObject({
      state: 'SUCCEEDED',
      result: 'undisturbed',
    });
    expect(await untilEnded(jobs, () => jobs.read.run(runId))).toMatchObject({
      state: 'TIMED_OUT',
      reason: 'worker-silent',
    });
    const retried = await untilEnded(jobs, async () =>
      (await jobs.read.runs({ job: 'block' })).find(({ retryOf }) => retryOf === runId),
    );
    expect(retried).toMatchObject({ state: 'SUCCEEDED', result: 'elsewhere', attempt: 2 });
    expect((await jobs.read.runs({ job: 'block' })).length).toBe(2);
  } finally {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await jobs.close();
    await database.close();
  }
});
