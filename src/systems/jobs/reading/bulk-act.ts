/**
 * One act on everything a filter means. It is counted first; whoever acts says how many they saw, and nothing happens
 * when it is other by more than a twentieth. Each run is then acted on by the statement that serves a single one, so
 * the guards and the audit are the same, and a run that has moved on meanwhile is left alone and counted.
 */
import type { SqlDatabase } from '../../../core/ports.ts';
import type { ActOptions, JobOperations } from '../job-operations.ts';
import { boundedRead } from './bounded-read.ts';
import { conditionOf, type RunFilter } from './run-filter.ts';

export type BulkAction = 'cancel' | 'retry';

export interface MatchCount {
  /** What the filter means. */
  readonly matching: number;
  /** What the act is for: live runs for a cancel, those that ended badly and were not repeated yet for a retry. */
  readonly applies: number;
  readonly atMs: number;
}

export interface BulkOptions extends ActOptions {
  /** `applies` as the actor saw it. */
  readonly expected: number;
  /** How many in one go. 1 to 10,000. @default 10000 */
  readonly limit?: number;
}

export type BulkOutcome =
  | {
      readonly acted: true;
      readonly done: number;
      /** Had moved on when their turn came. */
      readonly leftOut: number;
      /** Still to do, beyond `limit`. */
      readonly remaining: number;
    }
  /** Nothing was done. */
  | { readonly acted: false; readonly reason: 'count-changed'; readonly count: MatchCount };

export interface BulkActs {
  countMatching(action: BulkAction, filter: RunFilter): Promise<MatchCount>;
  actOnMatching(action: BulkAction, filter: RunFilter, options: BulkOptions): Promise<BulkOutcome>;
}

const atOnce = 8;

export function createBulkActs(
  database: SqlDatabase,
  operations: Pick<JobOperations, 'cancel' | 'retry'>,
  ready: () => Promise<void>,
): BulkActs {
  const schema = `"${database.schema}"`;

  async function countMatching(action: BulkAction, filter: RunFilter): Promise<MatchCount> {
    await ready();
    const { text, values } = conditionOf(schema, filter);
    const [row] = await boundedRead<MatchCount>(database, {
      text: `
select count(*)::float8 as matching, (count(*) filter (where ${appliesTo(action, schema)}))::float8 as applies,
  floor(extract(epoch from now()) * 1000)::float8 as "atMs"
from ${schema}.job_runs_all r ${text}`,
      values,
    });
    return row ?? { matching: 0, applies: 0, atMs: 0 };
  }

  return {
    countMatching,
    async actOnMatching(action, filter, { expected, limit = 10_000, ...act }) {
      const count = await countMatching(action, filter);
      if (Math.abs(count.applies - expected) > expected / 20) return { acted: false, reason: 'count-changed', count };
      const { text, values } = conditionOf(schema, filter, [appliesTo(action, schema)]);
      const most = Math.min(Math.max(Math.floor(limit), 1), 10_000);
      const rows = await boundedRead<{ id: number }>(database, {
        text: `select r.id from ${schema}.job_runs_all r ${text} order by r.id limit ${most}`,
        values,
      });
      let done = 0;
      const left = rows.map(({ id }) => id);
      const work = async (): Promise<void> => {
        for (let id = left.shift(); id !== undefined; id = left.shift()) {
          if (await actOnOne(operations, action, id, act)) done += 1;
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      return {
        acted: true,
        done,
        leftOut: rows.length - done,
        remaining: Math.max(count.applies - rows.length, 0),
      };
    },
  };
}

async function actOnOne(
  operations: Pick<JobOperations, 'cancel' | 'retry'>,
  action: BulkAction,
  id: number,
  act: ActOptions,
): Promise<boolean> {
  if (action === 'retry') return (await operations.retry(id, act)).retried;
  const { outcome } = await operations.cancel(id, act);
  return outcome === 'canceled' || outcome === 'requested';
}

function appliesTo(action: BulkAction, schema: string): string {
  if (action === 'cancel')
    return `r.state in ('PENDING', 'ASSIGNED', 'RUNNING', 'ORPHANED') and r.cancel_requested_at is null`;
  return `r.state in ('FAILED', 'TIMED_OUT', 'CANCELED', 'SKIPPED')
  and not exists (select from ${schema}.job_runs x where x.retry_of = r.id)
  and not exists (select from ${schema}.job_run_history x where x.retry_of = r.id)`;
}
