/**
 * The worker is there, and asks what it still owns. No row: it is unknown or was stopped, abort everything. Else one
 * row per run it still owns (id null if none): what it believes and is not told, it aborts. `cancel` delivers a
 * request; ASSIGNED rows are new work from the leader. CONFIRMING is set back on what it owns: the worker has
 * answered, and a next silence gets a window of its own. Ids are probed on the primary key, so dead entries of a
 * pinned snapshot do not matter.
 *
 * `age`: how old the row's `seen_at` is, by which the worker dates its deadline. Where Redis carries the beats the row is
 * written only when it is older than $6 seconds; without, with every beat.
 *
 * $1 worker, $2 ids it believes it runs, $3 load, $4 leads too, $5 seconds after which others count as silent, $6 seconds
 */
export function heartbeatStatement(schema: string): string {
  return `
with u as (
  update ${schema}.workers set seen_at = now(), load = $3::int, leads = $4::boolean
  where id = $1::bigint and state <> 'STOPPED'
    and ($6::float8 = 0 or seen_at < now() - make_interval(secs => $6::float8) or leads <> $4::boolean)
  returning state
), b as (
  select state, 0::float8 as age from u
  union all
  select w.state, greatest(0, extract(epoch from now() - w.seen_at))::float8 from ${schema}.workers w
  where w.id = $1::bigint and w.state <> 'STOPPED' and not exists (select from u)
), c as (
  update ${schema}.job_runs r set continuation_state = 'NONE', continuation_check_deadline_at = null
  where r.id = any($2::text::bigint[]) and exists (select from b)
    and case when r.state = 'RUNNING' and r.assigned_worker_id = $1::bigint and r.continuation_state = 'CONFIRMING'
        then true else false end
), o as (
  select r.id, r.state, r.version, r.attempt, r.cancel_requested_at is not null as cancel from ${schema}.job_runs r
  where r.id = any($2::text::bigint[])
    and case when r.state = 'RUNNING' and r.assigned_worker_id = $1::bigint then true else false end
  union all
  select r.id, r.state, r.version, r.attempt, r.cancel_requested_at is not null from ${schema}.job_runs r
  where r.assigned_worker_id = $1::bigint and r.state = 'ASSIGNED'
)
select b.state as worker_state, b.age,
  (select count(*)::int from ${schema}.workers w where w.id <> $1::bigint and w.state = 'ACTIVE'
     and w.seen_at > now() - make_interval(secs => $5::float8)) as others,
  o.*
from b left join o on true`;
}
