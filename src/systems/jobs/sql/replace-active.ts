/**
 * Leader: definitions that replace. The newest due run of a key wins: older ones that wait are SKIPPED, and one that
 * is active is asked to cancel. It keeps its place until it has ended, so two never overlap.
 *
 * $1 epoch
 */
import { historyPart, leadPart, transitionPart } from './run-parts.ts';

export function replaceActiveStatement(schema: string, channel: string): string {
  return `
with ${leadPart(schema, '$1')}, newest as materialized (
  select f.id as definition, n.concurrency_key as key, n.id
  from ${schema}.job_definitions f
  cross join lateral (
    select r.id, r.concurrency_key from ${schema}.job_runs r
    where r.state in ('PENDING', 'ORPHANED') and r.gate = 1 and r.concurrency_key = 'd:' || f.id and r.scheduled_for <= now()
    order by r.id desc limit 1
  ) n
  where f.concurrency = 'replace' and (select token from lead) is not null
), d as (
  delete from ${schema}.job_runs r using newest n
  where r.concurrency_key = n.key and r.state = 'PENDING' and r.gate = 1 and r.id < n.id and r.scheduled_for <= now()
  returning r.*
), h as (${historyPart(schema, { from: 'd', state: `'SKIPPED'`, reason: `'replaced'`, error: `'a newer run took its place'` })}
), t as (${transitionPart(
    schema,
    `select d.id, $1::bigint, null, d.version + 1, d.attempt, 'PENDING', 'SKIPPED', 'replaced' from d`,
  )}
), a as (
  update ${schema}.job_runs r set cancel_requested_at = now() from newest n
  where r.concurrency_key = n.key and r.state in ('ASSIGNED', 'RUNNING') and r.cancel_requested_at is null
  returning r.id, r.assigned_worker_id
), c as (
  insert into ${schema}.job_cancels (run_id, requested_by, why) select id, 'kannuki', 'replaced' from a on conflict do nothing
)
select (select count(*)::int from d) as skipped, (select count(*)::int from a) as asked,
  (select count(pg_notify('${channel}', 'cancel|' || a.assigned_worker_id || '|' || a.id)) from a) as told`;
}
