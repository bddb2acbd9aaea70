/** How many runs a filter means, by state, and when they were due. */
import type { SqlDatabase } from '../../../core/ports.ts';
import type { JobState } from '../job-state.ts';
import { boundedRead } from './bounded-read.ts';
import { conditionOf, type RunFilter } from './run-filter.ts';

export interface RunCounts {
  readonly states: Readonly<Partial<Record<JobState, number>>>;
  readonly total: number;
  /** False: counting stopped at the bound, and there are more. */
  readonly complete: boolean;
  /** When, by the database's clock. */
  readonly atMs: number;
}

export interface RunBucket {
  readonly startMs: number;
  readonly state: JobState;
  readonly count: number;
}

/** Beyond this nobody reads the number, and everybody waits for it. */
export const countMax = 1_000_000;

export async function countRuns(database: SqlDatabase, filter: RunFilter): Promise<RunCounts> {
  const schema = `"${database.schema}"`;
  const { text, values } = conditionOf(schema, filter);
  const rows = await boundedRead<{ state: JobState | null; count: number; at_ms: number }>(database, {
    text: `
select c.state, coalesce(c.count, 0)::float8 as count, floor(extract(epoch from now()) * 1000)::float8 as at_ms
from (select) one left join (
  select state, count(*) as count from (select r.state from ${schema}.job_runs_all r ${text} limit ${countMax + 1}) m group by state
) c on true`,
    values,
  });
  const counted = rows.flatMap(({ state, count }) => (state === null ? [] : [[state, count] as const]));
  const total = counted.reduce((sum, [, count]) => sum + count, 0);
  return {
    states: Object.fromEntries(counted),
    total: Math.min(total, countMax),
    complete: total <= countMax,
    atMs: rows[0]?.at_ms ?? 0,
  };
}

/** When the runs of a filter were due, in equal parts of the time from `fromMs` to `toMs`. Empty parts are left out. */
export async function countRunsOverTime(
  database: SqlDatabase,
  filter: RunFilter & { readonly fromMs: number; readonly toMs: number },
  parts: number,
): Promise<readonly RunBucket[]> {
  const schema = `"${database.schema}"`;
  const { text, values } = conditionOf(schema, filter);
  const stepMs = (filter.toMs - filter.fromMs) / parts;
  const at = values.length;
  return boundedRead<RunBucket>(database, {
    text: `
select (floor((extract(epoch from r.scheduled_for)::float8 * 1000 - $${at + 1}::float8) / $${at + 2}::float8) * $${at + 2}::float8
  + $${at + 1}::float8) as "startMs", r.state, count(*)::float8 as count
from ${schema}.job_runs_all r ${text} group by 1, 2 order by 1, 2`,
    values: [...values, filter.fromMs, stepMs],
  });
}
