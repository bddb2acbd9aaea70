/** A server for one test file, and for each of its tests a schema, a database that can fail, and jobs on it. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type PostgresDatabase, postgresDatabase } from '../../src/stores/postgres/index.ts';
import { createJobs, type Jobs, type JobsOptions } from '../../src/systems/jobs/index.ts';
import { type FaultyDatabase, faultyDatabase } from './faulty-database.ts';
import { type JobsServer, startJobsServer } from './jobs-rig.ts';
import { until } from './until.ts';

export interface WorkerRig {
  readonly server: JobsServer;
  /** Without faults. */
  readonly real: PostgresDatabase;
  readonly database: FaultyDatabase;
  readonly jobs: Jobs;
  /** Other jobs on the same tables, closed after the test. */
  open(options?: Partial<JobsOptions>): Jobs;
  /** The run, when it has ended. */
  ended(id: number): Promise<Awaited<ReturnType<Jobs['read']['run']>>>;
  /** The next attempt of a run; more than one fails the test. */
  successorOf(id: number): Promise<number | undefined>;
}

export const noDelay = { baseMs: 0, maxMs: 0 };

/** Call it once at the top of a file. What it gives is of the test under way. */
export function useWorkerRig(): WorkerRig {
  let server: JobsServer;
  let real: PostgresDatabase;
  let database: FaultyDatabase;
  let jobs: Jobs;
  let opened: Jobs[] = [];
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
    await Promise.all([jobs, ...opened].map((each) => each.close()));
    opened = [];
    await real.close();
  });

  return {
    get server() {
      return server;
    },
    get real() {
      return real;
    },
    get database() {
      return database;
    },
    get jobs() {
      return jobs;
    },
    open(options = {}) {
      const other = createJobs({ database, logs: false, ...options });
      opened.push(other);
      return other;
    },
    async ended(id) {
      await until(async () => (await jobs.read.run(id))?.finishedAtMs != null, `run ${id} ends`);
      return jobs.read.run(id);
    },
    async successorOf(id) {
      const { rows } = await real.query<{ id: number }>({
        text: `select id from "${real.schema}".job_runs_all where retry_of = $1`,
        values: [id],
      });
      expect(rows.length).toBeLessThanOrEqual(1);
      return rows[0]?.id;
    },
  };
}
