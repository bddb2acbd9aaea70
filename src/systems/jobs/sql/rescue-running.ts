/**
 * Leader: RUNNING and its worker silent, asked, and past the deadline; or past its own time-out and margin, silent or
 * not, but never while CONFIRMING before the deadline → TIMED_OUT into the history (CANCELED if a cancel was asked
 * for), and in the same statement the next attempt as a new row. All of it is judged again here, whatever the leader
 * had read. The DELETE is the guard: of two only one removes the row, so only one makes the next attempt.
 *
 * $1 epoch, $2 silent_after_seconds, $3 margin seconds, $4 limit
 */
import { historyPart, leadPart, retryPart, transitionPart } from './run-parts.ts';
import { wakePart } from './wake-part.ts';

export function rescueRunningStatement(schema: string, channel: string): string {
  const end = `case when d.cancel_requested_at is null then 'TIMED_OUT' else 'CANCELED' end`;
  return `
with ${leadPart(schema, '$1')}, lost as materialized (
  select r.id, case when r.continuation_state = 'CONFIRMING' then 'worker-silent' else 'overdue' end as why
  from ${schema}.job_runs r
  join ${schema}.workers w on w.id = r.assigned_worker_id
  join ${schema}.job_definitions f on f.id = r.job_definition_id
  where r.state = 'RUNNING' and (select token from lead) is not null
    and (r.continuation_state = 'CONFIRMING' and r.continuation_check_deadline_at < now()
           and (w.state in ('DETACHED', 'STOPPED') or w.seen_at < now() - make_interval(secs => $2::float8))
      or r.started_at < now() - make_interval(secs => f.timeout_seconds + $3::float8)
           and (r.continuation_state <> 'CONFIRMING' or r.continuation_check_deadline_at < now()))
  limit $4::int for update of r skip locked
), d as (
  delete from ${schema}.job_runs r
  where r.id = any(array(select id from lost)) and case r.state when 'RUNNING' then true else false end
  returning r.*
), h as (${historyPart(schema, {
    from: 'd join lost on lost.id = d.id',
    state: end,
    reason: 'lost.why',
    error: `case lost.why when 'overdue' then 'ran longer than its time-out' else 'its worker fell silent and did not confirm' end`,
  })}
), t as (${transitionPart(
    schema,
    `select d.id, $1::bigint, d.assigned_worker_id, d.version + 1, d.attempt, 'RUNNING', ${end}, lost.why
  from d join lost on lost.id = d.id`,
  )}
), n as (${retryPart(schema, {
    from: 'd',
    delay: `least(f.backoff_max_seconds, f.backoff_base_seconds * f.backoff_factor ^ (d.attempt - 1)) * (0.5 + random() / 2)`,
  })}, queue_id, gate, priority, scheduled_for as at
)
select (select count(*)::int from d) as ended, (select count(*)::int from n) as retries,
  ${wakePart(schema, channel, 'select queue_id, gate, priority, at from n')} as woke`;
}
