/** Workers of `createJobs` on a real server whose replies get lost, that stop, or that are cut off. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PostgresDatabase, postgresDatabase } from '../../src/stores/postgres/index.ts';
import { createJobs, type Jobs } from '../../src/systems/jobs/index.ts';
import { type FaultyDatabase, faultyDatabase } from './faulty-database.ts';
import { type JobsServer, startJobsServer } from './jobs-rig.ts';
import { gate, until } from './until.ts';

let server: JobsServer;
let real: PostgresDatabase;
let database: FaultyDatabase;
let jobs: Jobs;
let schemas = 0;

beforeAll(async () => {
  server = await startJobsServer(18);
});
afterAll(() => server?.stop());
beforeEach(() => {
  real = postgresDatabase({ connectionString: server.url, schema: `worker${++schemas}` });
  database = faultyDatabase(real);
  jobs = createJobs({ database, logs: false });
});
afterEach(async () => {
  database.fault = () => undefined;
  await jobs.close();
  await real.close();
});

const noDelay = { baseMs: 0, maxMs: 0 };
const ended = async (id: number): Promise<Awaited<ReturnType<Jobs['read']['run']>>> => {
  await until(async () => (await jobs.read.run(id))?.finishedAtMs != null, `run ${id} ends`);
  return jobs.read.run(id);
};
const successorOf = async (id: number): Promise<number | undefined> => {
  const { rows } = await real.query<{ id: number }>({
    text: `select id from "${real.schema}".job_runs_all where retry_of = $1`,
    values: [id],
  });
  expect(rows.length).toBeLessThanOrEqual(1);
  return rows[0]?.id;
};

describe('lost replies', () => {
  const onceLost = (verb: string): void => {
    let lost = false;
    database.fault = (sent) => {
      if (sent !== verb || lost) return undefined;
      lost = true;
      return 'lost-reply';
    };
  };

  it('of a claim: what was started is found and run, once', async () => {
    let runs = 0;
    jobs.define({ name: 'x', handler: () => void runs++ });
    const { runId } = await jobs.enqueue('x');
    onceLost('claim');
    await jobs.startWorker();
    expect(await ended(runId)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
    expect(runs).toBe(1);
    expect(database.sent.get('mine')).toBe(1);
  });

  it('of a finish: it is sent again and is no refusal', async () => {
    jobs.define({ name: 'x', handler: () => 'ok' });
    const { runId } = await jobs.enqueue('x');
    onceLost('finish');
    const worker = await jobs.startWorker();
    expect(await ended(runId)).toMatchObject({ state: 'SUCCEEDED', result: 'ok' });
    await worker.drain();
    expect(database.sent.get('finish')).toBe(2);
    expect(await jobs.read.refusals()).toEqual([]);
  });

  it('of a failing finish: one next attempt', async () => {
    jobs.define({
      name: 'x',
      maxRetries: 1,
      backoff: noDelay,
      handler: ({ run }) => {
        if (run.attempt === 1) throw new Error('no');
      },
    });
    const { runId } = await jobs.enqueue('x');
    onceLost('finishFailed');
    await jobs.startWorker();
    expect(await ended(runId)).toMatchObject({ state: 'FAILED' });
    expect(await ended((await successorOf(runId)) ?? 0)).toMatchObject({ state: 'SUCCEEDED', attempt: 2 });
  });

  it('of a start: the run that the leader gave is run, once', async () => {
    let runs = 0;
    jobs.define({ name: 'x', concurrency: 'forbid', handler: () => void runs++ });
    const { runId } = await jobs.enqueue('x');
    onceLost('start');
    await jobs.startWorker({ heartbeatMs: 100 });
    await jobs.startScheduler({ tickMs: 50 });
    expect(await ended(runId)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
    expect(runs).toBe(1);
  });
});

describe('a worker that stops', () => {
  it('finishes what it has, and takes nothing more', async () => {
    const go = gate();
    const started = gate();
    jobs.define({
      name: 'x',
      handler: async () => {
        started.open();
        await go.opened;
      },
    });
    const first = await jobs.enqueue('x');
    const worker = await jobs.startWorker({ concurrency: 1 });
    await started.opened;
    const stopped = worker.stop();
    const second = await jobs.enqueue('x');
    go.open();
    await stopped;
    expect(await jobs.read.run(first.runId)).toMatchObject({ state: 'SUCCEEDED' });
    expect(await jobs.read.run(second.runId)).toMatchObject({ state: 'PENDING' });
    expect(await jobs.read.workers()).toMatchObject([{ state: 'STOPPED' }]);
  });

  it('tells handlers to stop when its time is up; their runs have a next attempt', async () => {
    const started = gate();
    jobs.define({
      name: 'x',
      handler: ({ signal }) =>
        new Promise((_, reject) => {
          started.open();
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    const { runId } = await jobs.enqueue('x');
    const worker = await jobs.startWorker();
    await started.opened;
    await worker.stop({ timeoutMs: 0 });
    expect(await jobs.read.run(runId)).toMatchObject({ state: 'FAILED', reason: 'worker-stopped' });
    expect(await jobs.read.run((await successorOf(runId)) ?? 0)).toMatchObject({ state: 'PENDING', attempt: 2 });
  });
});

describe('a worker that is cut off', () => {
  const fast = async (): Promise<void> => {
    await jobs.setSetting('worker_silent_after_seconds', 1);
    await jobs.setSetting('continuation_margin_seconds', 0.3);
    await jobs.setSetting('continuation_retry_interval_seconds', 0.1);
  };

  it('stops what it runs before it is given to another, and its late word is refused and recorded', async () => {
    const started = gate();
    const aborted = gate<unknown>();
    jobs.define({
      name: 'x',
      backoff: noDelay,
      handler: ({ run, signal }) =>
        run.attempt > 1
          ? 'second'
          : new Promise((_, reject) => {
              started.open();
              signal.addEventListener('abort', () => {
                aborted.open(signal.reason);
                reject(signal.reason);
              });
            }),
    });
    await fast();
    const { runId } = await jobs.enqueue('x');
    await jobs.startWorker({ heartbeatMs: 100 });
    await started.opened;
    const other = createJobs({ database: real, logs: false });
    other.define({ name: 'x', backoff: noDelay, handler: () => 'second' });
    await other.startScheduler({ tickMs: 50 });
    await other.startWorker();
    database.fault = () => 'cut';
    expect(await aborted.opened).toMatchObject({ code: 'aborted', message: expect.stringContaining('cannot confirm') });
    expect(await ended2(runId)).toMatchObject({ state: 'TIMED_OUT', reason: 'worker-silent' });
    const next = (await successorOf(runId)) ?? 0;
    await until(async () => (await other.read.run(next))?.state === 'SUCCEEDED', 'another ran it');
    database.fault = () => undefined;
    await until(async () => (await other.read.refusals({ runId })).length === 1, 'the late finish is refused');
    expect(await other.read.refusals({ runId })).toMatchObject([{ wanted: 'FAILED', reason: 'wrong-state' }]);
    await other.close();

    async function ended2(id: number): Promise<unknown> {
      await until(async () => (await other.read.run(id))?.finishedAtMs != null, `run ${id} ends`);
      return other.read.run(id);
    }
  });

  it('and comes back in time finishes its own attempt; nothing is reassigned while CONFIRMING', async () => {
    const started = gate();
    const go = gate();
    jobs.define({
      name: 'x',
      handler: async ({ signal }) => {
        started.open();
        await go.opened;
        return signal.aborted;
      },
    });
    await fast();
    await jobs.setSetting('continuation_margin_seconds', 30);
    const { runId } = await jobs.enqueue('x');
    await jobs.startWorker({ heartbeatMs: 100 });
    await started.opened;
    const other = createJobs({ database: real, logs: false });
    await other.startScheduler({ tickMs: 50 });
    database.fault = (verb) => (verb === 'heartbeat' ? 'cut' : undefined);
    await until(async () => (await other.read.run(runId))?.continuation === 'CONFIRMING', 'it is asked');
    expect(await other.read.run(runId)).toMatchObject({ state: 'RUNNING', version: 3 });
    database.fault = () => undefined;
    await until(async () => (await other.read.run(runId))?.continuation === 'NONE', 'it confirms');
    go.open();
    expect(await ended(runId)).toMatchObject({ state: 'SUCCEEDED', attempt: 1, result: false });
    await other.close();
  });

  it('detached by an operator: it confirms, finishes its own, and gets nothing more until it rejoins', async () => {
    const started = gate();
    const go = gate();
    jobs.define({
      name: 'x',
      handler: async () => {
        started.open();
        await go.opened;
      },
    });
    const { runId } = await jobs.enqueue('x');
    const worker = await jobs.startWorker({ heartbeatMs: 100 });
    await jobs.startScheduler({ tickMs: 50 });
    await started.opened;
    expect(await jobs.detach(worker.id, { by: 'ops' })).toBe(true);
    await until(() => worker.state === 'detached', 'it hears');
    await until(async () => (await jobs.read.run(runId))?.continuation === 'NONE', 'it confirms');
    const second = await jobs.enqueue('x');
    go.open();
    expect(await ended(runId)).toMatchObject({ state: 'SUCCEEDED', attempt: 1 });
    expect(await jobs.read.run(second.runId)).toMatchObject({ state: 'PENDING' });
    const before = worker.id;
    await worker.rejoin();
    expect(worker.id).not.toBe(before);
    expect(await ended(second.runId)).toMatchObject({ state: 'SUCCEEDED', workerId: worker.id });
    expect(await jobs.read.audit()).toMatchObject([
      { action: 'detach', target: `worker/${before}`, before: { state: 'ACTIVE' } },
    ]);
  });

  it('loses a run by the word of the database: the handler is told, and writes nothing', async () => {
    const started = gate();
    const reason = gate<unknown>();
    jobs.define({
      name: 'x',
      handler: ({ signal }) =>
        new Promise((resolve) => {
          started.open();
          signal.addEventListener('abort', () => {
            reason.open(signal.reason);
            resolve('late');
          });
        }),
    });
    const { runId } = await jobs.enqueue('x');
    await jobs.startWorker({ heartbeatMs: 50 });
    await started.opened;
    await real.query({ text: `update "${real.schema}".job_runs set assigned_worker_id = 999` });
    expect(await reason.opened).toMatchObject({ message: expect.stringContaining('no longer this worker’s') });
    expect(await jobs.read.run(runId)).toMatchObject({ state: 'RUNNING', workerId: 999 });
  });
});
