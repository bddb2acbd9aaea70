/**
 * Leader: forgets what has ended longer ago than the retention, a piece at a time, oldest first: runs with their
 * transitions and cancels, keys, slots, events, refusals, and workers that are gone. Logs have a life of their own.
 *
 * $1 epoch, $2 days, $3 limit → runs
 */
import { leadPart } from './run-parts.ts';

export function pruneHistoryStatement(schema: string): string {
  const old = `now() - make_interval(secs => $2::float8 * 86400)`;
  return `
with ${leadPart(schema, '$1')}, h as (
  delete from ${schema}.job_run_history h
  where h.id = any(array(select id from ${schema}.job_run_history order by id limit $3::int))
    and h.finished_at < ${old} and (select token from lead) is not null
  returning h.id, h.idempotency_key
), t as (
  delete from ${schema}.job_run_transitions where run_id = any(array(select id from h))
), c as (
  delete from ${schema}.job_cancels where run_id = any(array(select id from h))
), k as (
  delete from ${schema}.job_keys k where k.created_at < ${old}
    and k.idempotency_key = any(array(select idempotency_key from h where idempotency_key is not null
                                      union all select 'retry:' || id from h))
), s as (
  delete from ${schema}.job_slots where scheduled_for < ${old} and (select token from lead) is not null
), e as (
  delete from ${schema}.events where processed_at < ${old} and (select token from lead) is not null
), r as (
  delete from ${schema}.job_refusals where at < ${old} and (select token from lead) is not null
), w as (
  delete from ${schema}.workers w where w.state = 'STOPPED' and w.seen_at < ${old} and (select token from lead) is not null
    and not exists (select from ${schema}.job_runs x where x.assigned_worker_id = w.id and x.state in ('ASSIGNED', 'RUNNING'))
)
select count(*)::int as runs from h`;
}
