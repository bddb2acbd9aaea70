/** Reads for people and programs: runs, what became of them, slots, workers, refusals, audit. */
import type { Clock, SqlDatabase } from '../../core/ports.ts';
import type { JobRun } from './job-run.ts';
import type { JobState } from './job-state.ts';
import type { LogArchive } from './logs/log-archive.ts';
import type { LogPlace } from './logs/log-line.ts';
import { type LogPage, readLog } from './logs/read-log.ts';
import { boundedRead } from './reading/bounded-read.ts';
import { checkInvariants, type Guarantees } from './reading/check-invariants.ts';
import { countRuns, countRunsOverTime, type RunBucket, type RunCounts } from './reading/count-runs.ts';
import { type JobsOverview, readOverview } from './reading/read-overview.ts';
import { conditionOf, type RunFilter } from './reading/run-filter.ts';
import type { Schedule } from './schedule/schedule.ts';
import { pageDefinitionsStatement } from './sql/page-definitions.ts';
import { readDefinitionsStatement } from './sql/read-definitions.ts';
import { readRunsStatement } from './sql/read-runs.ts';
import type { JobTarget } from './targets/job-target.ts';

/** One step of a run, in order. */
export interface JobTransition {
  readonly runId: number;
  readonly atMs: number;
  readonly from: JobState;
  readonly to: JobState;
  readonly version: number;
  readonly attempt: number;
  readonly workerId: number | null;
  readonly leaderEpoch: number | null;
  readonly why: string;
}

export interface ListRunsOptions extends RunFilter {
  /** Only runs with a smaller id: the last one of the page before. */
  readonly beforeId?: number;
  /** 1 to 1,000. @default 50 */
  readonly limit?: number;
}

export interface ListWorkersOptions {
  /** Only those that have not ended. @default false */
  readonly live?: boolean;
  /** Only workers with a smaller id: the last one of the page before. */
  readonly beforeId?: number;
  /** 1 to 1,000. @default 1000 */
  readonly limit?: number;
}

export interface WorkerInfo {
  readonly id: number;
  readonly name: string;
  readonly state: 'ACTIVE' | 'DETACHED' | 'DRAINING' | 'STOPPED';
  readonly leading: boolean;
  readonly capacity: number;
  readonly load: number;
  readonly seenAtMs: number;
  readonly registeredAtMs: number;
}

export interface AuditEntry {
  readonly id: number;
  readonly atMs: number;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly why: string | null;
}

export interface ListAuditOptions {
  readonly target?: string;
  readonly actor?: string;
  readonly action?: string;
  /** Only older ones: the last id of the page before. */
  readonly beforeId?: number;
  /** 1 to 1,000. @default 50 */
  readonly limit?: number;
}

export interface JobRefusal {
  readonly id: number;
  readonly runId: number;
  readonly atMs: number;
  readonly workerId: number | null;
  /** With what the write came. */
  readonly leaderEpoch: number | null;
  readonly version: number | null;
  readonly attempt: number | null;
  /** The state it wanted. */
  readonly wanted: string;
  readonly reason: 'not-found' | 'stale-epoch' | 'stale-version' | 'wrong-state' | 'wrong-worker';
}

export interface JobSlot {
  readonly job: string;
  readonly scheduledForMs: number;
  readonly outcome: string;
  readonly reason: string | null;
  readonly runId: number | null;
}

/** A definition as the database keeps it. */
export interface JobInfo {
  readonly name: string;
  readonly queue: string;
  readonly paused: boolean;
  readonly queuePaused: boolean;
  readonly schedule: Schedule | null;
  /** Of the schedule; null: never again. */
  readonly nextDueAtMs: number | null;
  readonly schedulePayload: unknown;
  readonly event: string | null;
  /** A command or an http target, for jobs without code. */
  readonly target: JobTarget | null;
  readonly concurrency: 'allow' | 'forbid' | 'replace';
  readonly priority: number;
  readonly timeoutSeconds: number;
  readonly maxRetries: number;
  readonly backoffBaseSeconds: number;
  readonly backoffMaxSeconds: number;
  readonly backoffFactor: number;
  /** Starts per period and rate key. */
  readonly rateLimit: number | null;
  readonly ratePeriodSeconds: number | null;
  readonly catchUp: 'all' | 'newest' | 'none';
  readonly skipLateAfterSeconds: number | null;
}

/** How far a cancel has come. */
export interface JobCancel {
  readonly runId: number;
  readonly requestedAtMs: number;
  readonly requestedBy: string;
  readonly why: string | null;
  readonly deliveredAtMs: number | null;
  readonly acknowledgedAtMs: number | null;
}

export interface JobReader {
  /** By name; all of them, or those of a page: `afterName` is the last one of the page before. */
  jobs(options?: { readonly afterName?: string; readonly limit?: number }): Promise<readonly JobInfo[]>;
  job(name: string): Promise<JobInfo | undefined>;
  /** A page of a run's log, wherever it is kept. */
  log(runId: number, options?: { readonly after?: LogPlace; readonly limit?: number }): Promise<LogPage>;
  run(runId: number): Promise<JobRun | undefined>;
  /** Newest first. A search in payloads is ended by the server after five seconds (`search-too-slow`). */
  runs(options?: ListRunsOptions): Promise<readonly JobRun[]>;
  countRuns(filter?: RunFilter): Promise<RunCounts>;
  /** In `parts` equal parts of the time from `fromMs` to `toMs`. */
  countRunsOverTime(
    filter: RunFilter & { readonly fromMs: number; readonly toMs: number },
    parts: number,
  ): Promise<readonly RunBucket[]>;
  /** Of the last minutes, 1 to 1,440. */
  overview(minutes: number): Promise<JobsOverview>;
  /** What must hold in the data, counted now. */
  guarantees(): Promise<Guarantees>;
  /** The whole path of a run: every worker it had, and when. */
  transitions(runId: number): Promise<readonly JobTransition[]>;
  cancel(runId: number): Promise<JobCancel | undefined>;
  /** Newest first. */
  workers(options?: ListWorkersOptions): Promise<readonly WorkerInfo[]>;
  /** What became of each due time, newest first; `beforeMs` is the last one of the page before. */
  slots(job: string, options?: { readonly beforeMs?: number; readonly limit?: number }): Promise<readonly JobSlot[]>;
  /** Newest first. */
  refusals(options?: {
    readonly runId?: number;
    readonly beforeId?: number;
    readonly limit?: number;
  }): Promise<readonly JobRefusal[]>;
  /** What people decided, newest first; of every system that keeps its audit in this database. */
  audit(options?: ListAuditOptions): Promise<readonly AuditEntry[]>;
}

const ms = (column: string): string => `floor(extract(epoch from ${column}) * 1000)::float8`;

export function createJobReader(
  database: SqlDatabase,
  ready: () => Promise<void>,
  archive: LogArchive | undefined,
  clock: Clock,
): JobReader {
  const schema = `"${database.schema}"`;
  const read = async <Row>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> => {
    await ready();
    return (await database.query<Row>({ text, values })).rows;
  };
  const readRuns = async (where: string, values: readonly unknown[]): Promise<readonly JobRun[]> =>
    (await read<Record<string, unknown>>(readRunsStatement(schema, where), values)).map(camel) as unknown as JobRun[];

  const readJobs = async (statement: string, values: readonly unknown[]): Promise<readonly JobInfo[]> => {
    const rows = await read<Record<string, unknown>>(statement, values);
    return rows.map(({ id: _id, queue_id: _queueId, ...row }) => camel(row)) as unknown as JobInfo[];
  };

  return {
    jobs: ({ afterName, limit } = {}) =>
      readJobs(pageDefinitionsStatement(schema), [afterName ?? null, limit === undefined ? null : clampLimit(limit)]),
    async job(name) {
      const names = JSON.stringify([name]).replace(/^\[/, '{').replace(/\]$/, '}');
      return (await readJobs(readDefinitionsStatement(schema), [names]))[0];
    },
    async log(runId, options = {}) {
      await ready();
      return readLog({ database, archive, runId, ...options });
    },
    async run(runId) {
      return (await readRuns('where r.id = $1::bigint', [runId]))[0];
    },
    async runs({ beforeId, limit = 50, ...filter } = {}) {
      await ready();
      const { text, values } = conditionOf(
        schema,
        filter,
        beforeId === undefined ? [] : [`r.id < ${safeId(beforeId)}`],
      );
      const statement = {
        text: readRunsStatement(
          schema,
          `${text}
order by r.id desc limit ${clampLimit(limit)}`,
        ),
        values,
      };
      const rows =
        filter.payload === undefined
          ? (await database.query<Record<string, unknown>>(statement)).rows
          : await boundedRead<Record<string, unknown>>(database, statement);
      return rows.map(camel) as unknown as JobRun[];
    },
    async countRuns(filter = {}) {
      await ready();
      return countRuns(database, filter);
    },
    async countRunsOverTime(filter, parts) {
      await ready();
      return countRunsOverTime(database, filter, Math.min(Math.max(Math.floor(parts), 1), 500));
    },
    async overview(minutes) {
      await ready();
      return readOverview(database, Math.min(Math.max(minutes, 1), 1_440));
    },
    async guarantees() {
      await ready();
      return checkInvariants(database, clock);
    },
    async transitions(runId) {
      const rows = await read<Record<string, unknown>>(
        `
select run_id, ${ms('at')} as at_ms, from_state as "from", to_state as "to", version, attempt, worker_id, leader_epoch, why
from ${schema}.job_run_transitions where run_id = $1::bigint
union all
-- The fused claim and the finish are told by the row itself.
select r.id, ${ms('r.assigned_at')}, 'PENDING', 'ASSIGNED', c.version - 1, r.attempt, r.assigned_worker_id, r.leader_epoch, 'claimed'
from ${schema}.job_runs_all r, lateral (select r.version - (r.finished_at is not null)::int as version) c
where r.id = $1::bigint and r.started_at is not null
  and not exists (select from ${schema}.job_run_transitions t where t.run_id = r.id and t.to_state = 'RUNNING')
union all
select r.id, ${ms('r.started_at')}, 'ASSIGNED', 'RUNNING', c.version, r.attempt, r.assigned_worker_id, r.leader_epoch, 'started'
from ${schema}.job_runs_all r, lateral (select r.version - (r.finished_at is not null)::int as version) c
where r.id = $1::bigint and r.started_at is not null
  and not exists (select from ${schema}.job_run_transitions t where t.run_id = r.id and t.to_state = 'RUNNING')
union all
select r.id, ${ms('r.finished_at')}, 'RUNNING', r.state, r.version, r.attempt, r.assigned_worker_id, r.leader_epoch, coalesce(r.reason, 'finished')
from ${schema}.job_run_history r
where r.id = $1::bigint and r.started_at is not null
  and not exists (select from ${schema}.job_run_transitions t where t.run_id = r.id and t.to_state = r.state)
order by version`,
        [runId],
      );
      return rows.map(camel) as unknown as JobTransition[];
    },
    async cancel(runId) {
      const rows = await read<Record<string, unknown>>(
        `select run_id, ${ms('requested_at')} as requested_at_ms, requested_by, why, ${ms('delivered_at')} as delivered_at_ms,
  ${ms('acknowledged_at')} as acknowledged_at_ms from ${schema}.job_cancels where run_id = $1::bigint`,
        [runId],
      );
      return rows.map(camel)[0] as unknown as JobCancel | undefined;
    },
    async workers({ live = false, beforeId, limit = 1_000 } = {}) {
      const rows = await read<Record<string, unknown>>(
        `select id, name, state, leads as "leading", capacity, load, ${ms('seen_at')} as seen_at_ms, ${ms('registered_at')} as registered_at_ms
from ${schema}.workers
where (not $1::boolean or state <> 'STOPPED') and ($2::bigint is null or id < $2) order by id desc limit $3::int`,
        [live, beforeId ?? null, clampLimit(limit)],
      );
      return rows.map(camel) as unknown as WorkerInfo[];
    },
    async slots(job, { beforeMs, limit = 50 } = {}) {
      const rows = await read<Record<string, unknown>>(
        `select d.name as job, ${ms('s.scheduled_for')} as scheduled_for_ms, s.outcome, s.reason, s.run_id
from ${schema}.job_slots s join ${schema}.job_definitions d on d.id = s.job_definition_id
where d.name = $1::text and ($3::float8 is null or s.scheduled_for < to_timestamp($3::float8 / 1000))
order by s.scheduled_for desc limit $2::int`,
        [job, clampLimit(limit), beforeMs ?? null],
      );
      return rows.map(camel) as unknown as JobSlot[];
    },
    async refusals({ runId, beforeId, limit = 50 } = {}) {
      const rows = await read<Record<string, unknown>>(
        `select id, run_id, ${ms('at')} as at_ms, worker_id, leader_epoch, version, attempt, wanted, reason from ${schema}.job_refusals
where ($1::bigint is null or run_id = $1) and ($3::bigint is null or id < $3) order by id desc limit $2::int`,
        [runId ?? null, clampLimit(limit), beforeId ?? null],
      );
      return rows.map(camel) as unknown as JobRefusal[];
    },
    async audit({ target, actor, action, beforeId, limit = 50 } = {}) {
      const rows = await read<Record<string, unknown>>(
        `select id, ${ms('at')} as at_ms, actor, action, target, before, after, why from ${schema}.audit
where ($1::text is null or target = $1) and ($2::text is null or actor = $2) and ($3::text is null or action = $3)
  and ($4::bigint is null or id < $4) order by id desc limit $5::int`,
        [target ?? null, actor ?? null, action ?? null, beforeId ?? null, clampLimit(limit)],
      );
      return rows.map(camel) as unknown as AuditEntry[];
    },
  };
}

/** One more than a page may have: whoever shows pages asks for it to see whether another follows. */
function clampLimit(limit: number): number {
  return Math.min(1_001, Math.max(1, Math.floor(limit) || 50));
}

function safeId(id: number): number {
  return Math.min(Math.max(Math.floor(id), 0), Number.MAX_SAFE_INTEGER) || 0;
}

/** Column names as JavaScript spells them. */
function camel(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
