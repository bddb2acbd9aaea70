/** What somebody sees first: how much gets done, how soon, what fails, and what was put right without anybody. */
import type { SqlDatabase } from '../../../core/ports.ts';
import { boundedRead } from './bounded-read.ts';

export interface OverviewPart {
  readonly startMs: number;
  readonly succeeded: number;
  /** Failed or timed out. */
  readonly failed: number;
  /** From due to running; null: nothing started. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

export interface FailingJob {
  readonly job: string;
  readonly failed: number;
  readonly ended: number;
  readonly lastError: string | null;
  readonly lastRunId: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** The next attempt of one of its failed runs; null: none is waiting. */
  readonly nextTryAtMs: number | null;
  /** Failures in each twelfth of the time. */
  readonly failures: readonly number[];
}

export interface LeaderEpoch {
  readonly epoch: number;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface HandledCounts {
  readonly refusedWrites: number;
  /** Runs of a worker that fell silent, ended and tried elsewhere. */
  readonly movedRuns: number;
  readonly recoveredRuns: number;
  readonly skippedRuns: number;
  readonly leaderChanges: number;
}

export interface JobsOverview {
  readonly atMs: number;
  readonly partMs: number;
  readonly parts: readonly OverviewPart[];
  readonly failing: readonly FailingJob[];
  /** Of whoever leads, or led last; 0: nobody has led yet. */
  readonly epoch: number;
  /** Of the last six hours, oldest first; as the schedules tell. */
  readonly epochs: readonly LeaderEpoch[];
  /** Of the last 24 hours. */
  readonly handled: HandledCounts;
}

const ms = (column: string): string => `floor(extract(epoch from ${column}) * 1000)::float8`;

export async function readOverview(database: SqlDatabase, minutes: number, parts = 60): Promise<JobsOverview> {
  const schema = `"${database.schema}"`;
  const span = `make_interval(secs => ${Math.floor(minutes * 60)})`;
  const partMs = (minutes * 60_000) / parts;
  const twelfth = minutes * 5_000;
  const read = <Row>(text: string): Promise<readonly Row[]> => boundedRead<Row>(database, { text });
  const partOf = (column: string, size: number): string =>
    `floor(extract(epoch from ${column})::float8 * 1000 / ${size})`;

  const [series, failing, epochs, handled] = await Promise.all([
    read<OverviewPart>(`
select ${partOf('h.finished_at', partMs)} * ${partMs} as "startMs",
  (count(*) filter (where h.state = 'SUCCEEDED'))::float8 as succeeded,
  (count(*) filter (where h.state in ('FAILED', 'TIMED_OUT')))::float8 as failed,
  percentile_disc(0.5) within group (order by l.late) as "p50Ms", percentile_disc(0.95) within group (order by l.late) as "p95Ms"
from ${schema}.job_run_history h,
  lateral (select greatest(extract(epoch from h.started_at - h.scheduled_for)::float8 * 1000, 0) as late) l
where h.finished_at > now() - ${span}
group by 1 order by 1`),
    read<FailingJob>(`
select d.name as job, f.failed::float8 as failed, e.ended::float8 as ended, f.error as "lastError", f.last_id as "lastRunId",
  ${ms('f.first_at')} as "firstAtMs", ${ms('f.last_at')} as "lastAtMs",
  (select ${ms('min(r.scheduled_for)')} from ${schema}.job_runs r
   where r.job_definition_id = f.job_definition_id and r.state = 'PENDING' and r.retry_of is not null) as "nextTryAtMs",
  array(select count(x.id)::int from generate_series(0, 11) n left join ${schema}.job_run_history x
    on x.job_definition_id = f.job_definition_id and x.state in ('FAILED', 'TIMED_OUT') and x.finished_at > now() - ${span}
    and least(11, floor(extract(epoch from x.finished_at - (now() - ${span}))::float8 * 1000 / ${twelfth})) = n
    group by n order by n) as failures
from (
  select h.job_definition_id, count(*) as failed, max(h.id) as last_id, min(h.finished_at) as first_at, max(h.finished_at) as last_at,
    (array_agg(coalesce(h.error, h.reason) order by h.finished_at desc))[1] as error
  from ${schema}.job_run_history h where h.state in ('FAILED', 'TIMED_OUT') and h.finished_at > now() - ${span}
  group by h.job_definition_id
) f
join ${schema}.job_definitions d on d.id = f.job_definition_id
join lateral (select count(*) as ended from ${schema}.job_run_history h
  where h.job_definition_id = f.job_definition_id and h.finished_at > now() - ${span}) e on true
order by f.failed desc, d.name limit 20`),
    read<LeaderEpoch>(`
select leader_epoch as epoch, ${ms('min(recorded_at)')} as "fromMs", ${ms('max(recorded_at)')} as "toMs"
from ${schema}.job_slots where recorded_at > now() - interval '6 hours' group by leader_epoch order by leader_epoch`),
    read<HandledCounts & { readonly atMs: number; readonly epoch: number }>(`
select ${ms('now()')} as "atMs", (select token from ${schema}.fences where resource = 'jobs') as epoch,
  (select count(*)::float8 from ${schema}.job_refusals where at > now() - interval '24 hours') as "refusedWrites",
  (select count(*)::float8 from ${schema}.job_run_history h where h.state = 'TIMED_OUT' and h.reason = 'worker-silent'
     and h.finished_at > now() - interval '24 hours') as "movedRuns",
  (select count(*)::float8 from ${schema}.job_run_history h where h.retry_of is not null and h.state = 'SUCCEEDED'
     and h.finished_at > now() - interval '24 hours') as "recoveredRuns",
  (select count(*)::float8 from ${schema}.job_run_history h where h.state = 'SKIPPED'
     and h.finished_at > now() - interval '24 hours') as "skippedRuns",
  greatest((select count(distinct leader_epoch) from ${schema}.job_slots where recorded_at > now() - interval '24 hours') - 1, 0)::float8
    as "leaderChanges"`),
  ]);
  const { atMs = 0, epoch, ...counts } = handled[0] ?? { ...nothing, atMs: 0, epoch: 0 };
  return { atMs, partMs, parts: series, failing, epoch: Number(epoch), epochs, handled: counts };
}

const nothing: HandledCounts = { refusedWrites: 0, movedRuns: 0, recoveredRuns: 0, skippedRuns: 0, leaderChanges: 0 };
