/**
 * The statements of jobs on a real server, driven one by one: leaders and workers here are only numbers, so that every
 * order of events, and every stale right, can be acted out.
 */
import type { SqlDatabase, SqlStatement } from '../../src/core/ports.ts';
import { migrate } from '../../src/engine/migrate.ts';
import { leaseMigrations } from '../../src/sql/lease-migrations.ts';
import { postgresDatabase } from '../../src/stores/postgres/index.ts';
import type { JobDefinition } from '../../src/systems/jobs/job-definition.ts';
import { storeDefinition } from '../../src/systems/jobs/job-definition.ts';
import { jobMigrations } from '../../src/systems/jobs/migrations/job-migrations.ts';
import { type JobStatementName, type JobStatements, jobStatements } from '../../src/systems/jobs/sql/job-statements.ts';
import type { ClaimedRun } from '../../src/systems/jobs/worker/claimed-run.ts';
import { type ClaimRow, readClaim } from '../../src/systems/jobs/worker/read-claim.ts';
import { startPostgres } from '../servers/postgres-server.ts';
import { reportComponent } from '../servers/report-component.ts';

export interface JobsServer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startJobsServer(major: 15 | 18): Promise<JobsServer> {
  // Power loss is not the subject here, and every rig makes some forty tables: commits need not wait for the disk.
  const server = await startPostgres({ major, settings: { synchronous_commit: 'off' } });
  reportComponent({ component: `PostgreSQL ${server.version}`, status: 'took part' });
  return server;
}

export interface Row {
  readonly id: number;
  readonly state: string;
  readonly version: number;
  readonly attempt: number;
  readonly assigned_worker_id: number | null;
  readonly leader_epoch: number | null;
  readonly start_token: number | null;
  readonly continuation_state: string;
  readonly retry_of: number | null;
  readonly reason: string | null;
}

export interface JobsRig {
  readonly database: SqlDatabase;
  readonly statements: JobStatements;
  /** Replaced only to plant a bug. */
  do<T = Record<string, unknown>>(
    name: JobStatementName,
    ...values: readonly (string | number | boolean | null)[]
  ): Promise<readonly T[]>;
  sql<T = Record<string, unknown>>(text: string, ...values: readonly unknown[]): Promise<readonly T[]>;
  define(definition: JobDefinition): Promise<number>;
  worker(definitionIds: readonly number[]): Promise<number>;
  enqueue(definitionId: number, options?: Readonly<Record<string, unknown>>): Promise<number>;
  claim(workerId: number, definitionId: number, limit?: number): Promise<readonly ClaimedRun[]>;
  finish(run: ClaimedRun, workerId: number, state?: string): Promise<number>;
  /** Makes a worker count as silent. */
  silence(workerId: number): Promise<void>;
  raise(epoch: number): Promise<boolean>;
  row(id: number): Promise<Row | undefined>;
  close(): Promise<void>;
}

let schemas = 0;

/** Changes statements: bugs for a test that must find them. A text that is not there is an error. */
export type Plant = Partial<Record<JobStatementName, (text: string) => string>>;

/** A rig with tables of its own. */
export async function openJobsRig(server: JobsServer, plant: Plant = {}): Promise<JobsRig> {
  const database = postgresDatabase({ connectionString: server.url, schema: `rig${++schemas}`, max: 16 });
  await migrate(database, [leaseMigrations, jobMigrations]);
  return rigOn(database, plant);
}

export interface JobsRigs {
  /** One after the other, on the same tables, emptied: the one before must not be used any more. */
  next(plant?: Plant): Promise<JobsRig>;
  /** With tables of its own, for a test that changes them. */
  alone(plant?: Plant): Promise<JobsRig>;
  close(): Promise<void>;
}

/** Making the tables takes longer than most tests do. */
export async function openJobsRigs(server: JobsServer): Promise<JobsRigs> {
  const first = await openJobsRig(server);
  const { database } = first;
  const opened: JobsRig[] = [first];
  const [tables] = await first.sql<{ names: string }>(
    `select string_agg(format('%I.%I', schemaname, tablename), ', ') as names from pg_tables
where schemaname = $1 and tablename <> 'migrations'`,
    database.schema,
  );
  return {
    async next(plant = {}) {
      await first.sql(`truncate ${tables?.names} restart identity`);
      await first.sql(`insert into jobs.fences (resource, token) values ('jobs', 0)`);
      return rigOn(database, plant);
    },
    async alone(plant = {}) {
      const rig = await openJobsRig(server, plant);
      opened.push(rig);
      return rig;
    },
    async close() {
      for (const rig of opened) await rig.close();
    },
  };
}

function rigOn(database: SqlDatabase, plant: Plant): JobsRig {
  const { schema } = database;
  const statements = jobStatements(schema);
  const change = (name: JobStatementName, statement: SqlStatement): SqlStatement => {
    const planted = plant[name];
    if (!planted) return statement;
    const text = planted(statement.text);
    if (text === statement.text) throw new Error(`The planted bug of ${name} changed nothing.`);
    const { values = [] } = statement;
    return { text, values };
  };
  const rig: JobsRig = {
    database,
    statements,
    async do<T>(name: JobStatementName, ...values: readonly (string | number | boolean | null)[]) {
      return (await database.query<T>(change(name, statements[name](...values)))).rows;
    },
    async sql<T>(text: string, ...values: readonly unknown[]) {
      return (await database.query<T>({ text: text.replaceAll('jobs.', `"${schema}".`), values })).rows;
    },
    async define(definition) {
      const { name, queue = 'default' } = definition;
      const stored = JSON.stringify(storeDefinition(definition));
      const [row] = await rig.do<{ id: number }>('putDefinition', name, queue, stored, 0, null);
      return row?.id ?? 0;
    },
    async worker(definitionIds) {
      const ids = `{${definitionIds.join(',')}}`;
      const [row] = await rig.do<{ id: number }>('registerWorker', 'w', '{1}', ids, 10, false);
      return row?.id ?? 0;
    },
    async enqueue(definitionId, options = {}) {
      const item = JSON.stringify([{ i: 0, d: definitionId, p: null, ...options }]);
      const [row] = await rig.do<{ id: number }>('enqueueIds', item);
      return row?.id ?? 0;
    },
    async claim(workerId, definitionId, limit = 1) {
      const [row] = await rig.do<ClaimRow>('claim', limit, workerId, 1, `{${definitionId}}`, -32_768, 0, 0);
      return readClaim(row);
    },
    async finish(run, workerId, state = 'SUCCEEDED') {
      const failed = state === 'FAILED' || state === 'TIMED_OUT';
      const extra = failed ? JSON.stringify([{ id: run.id, reason: 'x', error: 'x', delay: 0 }]) : '[]';
      const [row] = await rig.do<{ n: number }>(
        failed ? 'finishFailed' : 'finish',
        `{${run.id}}`,
        workerId,
        run.leader_epoch,
        run.version,
        run.attempt,
        state,
        extra,
      );
      return row?.n ?? 0;
    },
    async silence(workerId) {
      await rig.sql(`update jobs.workers set seen_at = now() - interval '1 hour' where id = $1`, workerId);
    },
    async raise(epoch) {
      return (await rig.do('raiseFence', epoch)).length === 1;
    },
    async row(id) {
      const [row] = await rig.sql<Row>('select * from jobs.job_runs_all where id = $1', id);
      return row;
    },
    close: () => database.close(),
  };
  return rig;
}

/** Replaces a text that must be there. */
export function without(part: string, instead = ''): (text: string) => string {
  return (text) => text.replaceAll(part, instead);
}
