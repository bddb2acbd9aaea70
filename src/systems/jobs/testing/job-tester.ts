/**
 * For the tests of applications that use jobs: nothing is imitated. Runs are executed by a real worker and led by a
 * real leader in this process, one after the other, and only while `drain` is awaited.
 *
 *   const tester = createJobTester({ database: pgliteDatabase({ dir: 'memory' }) });
 *   const { jobs } = tester;
 *   …the application defines its jobs and enqueues…
 *   await tester.assertEnqueued('send-mail', { to: 'a@example.com' });
 *   tester.advance(60_000);
 *   const ended = await tester.drain();
 */
import { platform as defaultPlatform } from '#platform';
import type { SqlDatabase } from '../../../core/ports.ts';
import { createJobs, type Jobs, type JobsOptions } from '../create-jobs.ts';
import { JobError } from '../job-error.ts';
import type { JobRun } from '../job-run.ts';
import { travellingDatabase } from './travelling-database.ts';

export interface JobTester {
  /** Give it to the application. */
  readonly jobs: Jobs;
  /** Time passes for jobs: delays, backoffs, schedules, retention. */
  advance(ms: number): void;
  /** Executes all that is due, with what it makes due, and returns the runs that ended, in the order of their starts. */
  drain(options?: { readonly timeoutMs?: number }): Promise<readonly JobRun[]>;
  /** Enqueues one run, drains, and returns it as it ended. */
  runInline(job: string, payload?: unknown): Promise<JobRun>;
  /**
   * Runs of a job that wait, whose payload has at least these fields. Throws when there is none, or not `count`, and
   * says what there is.
   */
  assertEnqueued(job: string, payload?: unknown, options?: { readonly count?: number }): Promise<readonly JobRun[]>;
  /** Throws when runs of the job wait. */
  assertNotEnqueued(job: string): Promise<void>;
  close(): Promise<void>;
}

export function createJobTester(
  options: Omit<JobsOptions, 'database'> & { readonly database: SqlDatabase },
): JobTester {
  const database = travellingDatabase(options.database);
  const { clock } = options.platform ?? defaultPlatform;
  const jobs = createJobs({ ...options, database });
  const schema = `"${database.schema}"`;

  /** What is left to do: runs that have a handler here, events, due times. */
  const isIdle = async (definitionIds: string): Promise<boolean> => {
    const { rows } = await database.query<{ busy: boolean }>({
      text: `select exists (select from ${schema}.job_runs where job_definition_id = any($1::text::int[])
    and (state <> 'PENDING' or scheduled_for <= now()))
  or exists (select from ${schema}.events where processed_at is null)
  or exists (select from ${schema}.job_definitions where schedule is not null and next_due_at <= now()) as busy`,
      values: [definitionIds],
    });
    return rows[0]?.busy === false;
  };

  const endedSince = async (seenMs: number): Promise<readonly JobRun[]> => {
    const runs = await jobs.read.runs({ limit: 1_000 });
    return runs
      .filter(({ finishedAtMs }) => finishedAtMs !== null && finishedAtMs >= seenMs)
      .sort((a, b) => (a.startToken ?? 0) - (b.startToken ?? 0) || a.id - b.id);
  };

  const drain = async (timeoutMs: number): Promise<readonly JobRun[]> => {
    await jobs.ready();
    const { rows } = await database.query<{ ids: string; now_ms: number }>({
      text: `select floor(extract(epoch from now()) * 1000)::float8 as now_ms`,
    });
    const worker = await jobs.startWorker({ concurrency: 1, heartbeatMs: 50, pollMs: 10, workWhileLeading: true });
    const scheduler = await jobs.startScheduler({ tickMs: 10, leaseTtlMs: 60_000 });
    try {
      await scheduler.untilLeading();
      const { rows: known } = await database.query<{ ids: string }>({
        text: `select definition_ids::text as ids from ${schema}.workers where id = $1`,
        values: [worker.id],
      });
      const endMs = clock.monotonicMs() + timeoutMs;
      while (!(await isIdle(known[0]?.ids ?? '{}'))) {
        if (clock.monotonicMs() > endMs) throw await leftOver(timeoutMs);
        await new Promise<void>((resolve) => void clock.after(5, resolve));
      }
    } finally {
      await scheduler.stop();
      await worker.stop({ timeoutMs: 1_000 });
    }
    return endedSince(rows[0]?.now_ms ?? 0);
  };

  const leftOver = async (timeoutMs: number): Promise<JobError> => {
    const runs = (await jobs.read.runs()).filter(({ finishedAtMs }) => finishedAtMs === null);
    const shown = runs.slice(0, 5).map(({ id, job, state }) => `${id} ${job} ${state}`);
    return new JobError(`Draining took longer than ${timeoutMs} ms. Left: ${shown.join(', ') || 'no runs'}.`, {
      code: 'unsupported',
    });
  };

  const waiting = async (job: string): Promise<readonly JobRun[]> =>
    (await jobs.read.runs({ job, limit: 1_000 })).filter(({ state }) => state === 'PENDING');

  return {
    jobs,
    advance: (ms) => database.advance(ms),
    drain: ({ timeoutMs = 10_000 } = {}) => drain(timeoutMs),
    async runInline(job, payload) {
      const { runId } = await jobs.enqueue(job, payload);
      await drain(10_000);
      const run = await jobs.read.run(runId);
      if (!run) throw new JobError(`Run ${runId} of "${job}" is gone.`, { code: 'unknown-job', job, runId });
      return run;
    },
    async assertEnqueued(job, payload, { count } = {}) {
      const all = await waiting(job);
      const found = all.filter((run) => payload === undefined || includes(run.payload, payload));
      if (count === undefined ? found.length > 0 : found.length === count) return found;
      const wanted = `${count ?? 'a'} waiting run${count === undefined || count === 1 ? '' : 's'} of "${job}"`;
      const like = payload === undefined ? '' : ` with ${JSON.stringify(payload)}`;
      const there = all.map((run) => JSON.stringify(run.payload)).slice(0, 5);
      throw new Error(`Expected ${wanted}${like}, found ${found.length}. Waiting: ${there.join(', ') || 'none'}.`);
    },
    async assertNotEnqueued(job) {
      const all = await waiting(job);
      if (all.length > 0) throw new Error(`Expected no waiting run of "${job}", found ${all.length}.`);
    },
    close: () => jobs.close(),
  };
}

/** The value has at least what is wanted. */
function includes(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return Object.is(value, wanted);
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(wanted)) return false;
  return Object.entries(wanted).every(([key, part]) => includes((value as Record<string, unknown>)[key], part));
}
