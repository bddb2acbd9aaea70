/**
 * After a finish that was short: which ids were refused and why; recorded in the same statement. A finish that did
 * land, whose reply was lost, is no refusal.
 *
 * $1–$6 as in finish
 */
export function refusedStatement(schema: string): string {
  return `
with a as (
  select f.id, r.state, coalesce(r.assigned_worker_id, h.assigned_worker_id) as worker,
    coalesce(r.leader_epoch, h.leader_epoch) as epoch, r.id is null and h.id is null as unknown
  from unnest($1::text::bigint[]) as f(id)
  left join ${schema}.job_runs r on r.id = f.id
  left join ${schema}.job_run_history h on h.id = f.id
  where not (h.id is not null and h.assigned_worker_id = $2::bigint and h.leader_epoch = $3::bigint
             and h.version = $4::int + 1 and h.attempt = $5::smallint and h.state in ($6::text, 'CANCELED')
             and coalesce(h.reason, '') not in ('worker-silent', 'overdue'))
), x as (
  insert into ${schema}.job_refusals (run_id, worker_id, leader_epoch, version, attempt, wanted, reason)
  select id, $2::bigint, $3::bigint, $4::int, $5::smallint, $6::text,
    case when unknown then 'not-found'
         when worker is distinct from $2::bigint then 'wrong-worker'
         when epoch is distinct from $3::bigint then 'stale-epoch'
         when state is distinct from 'RUNNING' then 'wrong-state'
         else 'stale-version' end
  from a returning run_id, reason
)
select run_id, reason from x order by run_id`;
}
