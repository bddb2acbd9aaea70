/**
 * What must hold in the data whatever happened, counted: each statement finds what contradicts it, and finds nothing.
 * They look at the newest runs only, so that they may be asked at any time.
 */
import type { Clock, SqlDatabase } from '../../../core/ports.ts';
import { boundedRead } from './bounded-read.ts';

export type InvariantName =
  | 'one-place'
  | 'one-successor'
  | 'one-at-a-time'
  | 'tokens-rise'
  | 'epochs-not-ahead'
  | 'ended-has-started';

export interface Invariant {
  readonly name: InvariantName;
  /** What contradicts it. */
  readonly violations: number;
  /** How many rows were looked at. */
  readonly looked: number;
}

export interface Guarantees {
  readonly atMs: number;
  readonly invariants: readonly Invariant[];
  /** The database's clock minus ours. */
  readonly clockOffsetMs: number;
  /** How far that may be off. */
  readonly clockUncertaintyMs: number;
}

const newest = 100_000;

export async function checkInvariants(database: SqlDatabase, clock: Clock): Promise<Guarantees> {
  const schema = `"${database.schema}"`;
  const last = `select * from ${schema}.job_run_history order by id desc limit ${newest}`;
  const texts: Readonly<Record<InvariantName, string>> = {
    'one-place': `select count(*) filter (where h.id is not null)::float8 as violations, count(*)::float8 as looked
from ${schema}.job_runs r left join ${schema}.job_run_history h on h.id = r.id`,
    'one-successor': `select coalesce(sum(n) filter (where n > 1), 0)::float8 as violations, coalesce(sum(n), 0)::float8 as looked from (
  select count(*) as n from ${schema}.job_runs_all r where r.retry_of is not null group by r.retry_of) x`,
    'one-at-a-time': `select coalesce(sum(n) filter (where n > 1), 0)::float8 as violations, coalesce(sum(n), 0)::float8 as looked from (
  select count(*) as n from ${schema}.job_runs r
  where r.state in ('ASSIGNED', 'RUNNING') and r.concurrency_key is not null group by r.concurrency_key) x`,
    'tokens-rise': `select coalesce(sum(n) filter (where n > 1), 0)::float8 as violations, coalesce(sum(n), 0)::float8 as looked from (
  select count(*) as n from (${last}) h where h.start_token is not null group by h.start_token) x`,
    'epochs-not-ahead': `select count(*) filter (where r.leader_epoch > f.token)::float8 as violations, count(*)::float8 as looked
from ${schema}.job_runs r, ${schema}.fences f where f.resource = 'jobs'`,
    'ended-has-started': `select count(*) filter (where h.state in ('SUCCEEDED', 'FAILED') and h.started_at is null
    or h.finished_at < h.started_at)::float8 as violations, count(*)::float8 as looked from (${last}) h`,
  };
  const invariants: Invariant[] = [];
  for (const [name, text] of Object.entries(texts) as [InvariantName, string][]) {
    const [row] = await boundedRead<Omit<Invariant, 'name'>>(database, { text });
    invariants.push({ name, violations: row?.violations ?? 0, looked: row?.looked ?? 0 });
  }
  const beforeMs = clock.wallMs();
  const { rows } = await database.query<{ ms: number }>({
    text: `select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`,
  });
  const afterMs = clock.wallMs();
  const atMs = rows[0]?.ms ?? afterMs;
  return {
    atMs: Math.round(atMs),
    invariants,
    clockOffsetMs: Math.round(atMs - (beforeMs + afterMs) / 2),
    clockUncertaintyMs: Math.ceil((afterMs - beforeMs) / 2),
  };
}
