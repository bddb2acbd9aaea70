/**
 * PENDING → ASSIGNED → RUNNING for a block of one queue, by the worker itself, from a remembered position on. Both
 * transitions are told by the row (version + 2, assigned_at, started_at). The epoch is read from the fence here.
 *
 * A worker that is not ACTIVE, or a paused queue, gets nothing; FOR SHARE on the worker: a detach at the same time
 * either sees these rows or stops them. The position skips dead index entries that a pinned snapshot keeps; it is
 * only an accelerator, `look` finds what lies before it. `id = any(array(…))` with the guard in CASE keeps the planner on
 * the primary key: a join or a plain AND costs most of the speed.
 *
 * The answer is one row of columns, all in the same order (`readClaim`): a row for every run costs the client more than
 * everything else it does for a run. Only runs that are not in their first attempt, with priority 0 and no due time, have
 * an entry in the `odd` columns.
 *
 * $1 limit, $2 worker, $3 queue, $4 definitions with a handler, $5–$7 position (priority, scheduled_for in seconds, id)
 */
export function claimStatement(schema: string): string {
  return `
with me as materialized (
  select w.id, (select token from ${schema}.fences where resource = 'jobs') as epoch
  from ${schema}.workers w
  where w.id = $2::bigint and w.state = 'ACTIVE' and not (select paused from ${schema}.queues where id = $3::smallint)
  for share of w
), pick as materialized (
  select id, priority, scheduled_for from ${schema}.job_runs
  where state = 'PENDING' and gate = 0 and queue_id = $3::smallint and scheduled_for <= now()
    and job_definition_id = any($4::int[])
    and (priority, scheduled_for, id) >= ($5::smallint, to_timestamp($6::float8), $7::bigint)
    and (select epoch from me) is not null
  order by priority, scheduled_for, id limit $1::int for update skip locked
), last as materialized (
  select id, priority, extract(epoch from scheduled_for)::float8 as seconds from pick
  order by priority desc, scheduled_for desc, id desc limit 1
), u as (
  update ${schema}.job_runs r
  set state = 'RUNNING', version = r.version + 2, assigned_worker_id = $2::bigint,
      leader_epoch = (select epoch from me), assigned_at = now(), started_at = now(),
      start_token = nextval('${schema}.start_tokens')
  where r.id = any(array(select id from pick)) and case r.state when 'PENDING' then true else false end
  returning r.id, r.version, r.attempt, r.priority, r.job_definition_id, r.start_token, r.payload, r.due_at,
    r.version <> 3 or r.attempt <> 1 or r.priority <> 0 or r.due_at is not null as odd
)
select array_agg(id)::text as ids, array_agg(start_token)::text as tokens, array_agg(job_definition_id)::text as definitions,
  json_agg(payload) as payloads, sum(pg_column_size(payload))::float8 as bytes, (select epoch from me) as epoch,
  array_agg(id) filter (where odd)::text as odd_ids, array_agg(version) filter (where odd)::text as odd_versions,
  array_agg(attempt) filter (where odd)::text as odd_attempts, array_agg(priority) filter (where odd)::text as odd_priorities,
  json_agg((extract(epoch from due_at) * 1000)::float8) filter (where odd) as odd_due_ms,
  (select priority from last) as at_priority, (select seconds from last) as at_seconds, (select id from last) as at_id
from u`;
}
