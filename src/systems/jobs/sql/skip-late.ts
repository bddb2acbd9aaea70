/**
 * Leader: PENDING runs later than their definition allows → SKIPPED; the slot says so too.
 *
 * $1 epoch, $2 limit
 */
import { historyPart, leadPart, transitionPart } from './run-parts.ts';

export function skipLateStatement(schema: string): string {
  return `
with ${leadPart(schema, '$1')}, late as materialized (
  select l.id from (
    select f.id, f.queue_id, f.skip_late_after_seconds as after from ${schema}.job_definitions f
    where f.skip_late_after_seconds is not null and (select token from lead) is not null
  ) f
  cross join lateral (
    -- One arm for each of the partial indexes.
    select r.id from ${schema}.job_runs r where r.state = 'PENDING' and r.gate = 0 and r.queue_id = f.queue_id
      and r.job_definition_id = f.id and r.retry_of is null and r.scheduled_for < now() - make_interval(secs => f.after)
    union all
    select r.id from ${schema}.job_runs r where r.state in ('PENDING', 'ORPHANED') and r.gate = 1 and r.state = 'PENDING'
      and r.job_definition_id = f.id and r.retry_of is null and r.scheduled_for < now() - make_interval(secs => f.after)
    union all
    select r.id from ${schema}.job_runs r where r.state = 'PENDING' and r.gate = 2
      and r.job_definition_id = f.id and r.retry_of is null and r.scheduled_for < now() - make_interval(secs => f.after)
  ) l
  limit $2::int
), d as (
  delete from ${schema}.job_runs r
  where r.id = any(array(select id from late)) and case r.state when 'PENDING' then true else false end
  returning r.*
), h as (${historyPart(schema, { from: 'd', state: `'SKIPPED'`, reason: `'late'`, error: `'it was later than skip_late_after_seconds allows'` })}
), t as (${transitionPart(
    schema,
    `select d.id, $1::bigint, null, d.version + 1, d.attempt, 'PENDING', 'SKIPPED', 'late' from d`,
  )}
), s as (
  update ${schema}.job_slots s set outcome = 'skipped-late', reason = 'no worker took it in time' from d
  where s.job_definition_id = d.job_definition_id and s.scheduled_for = d.due_at and s.run_id = d.id
)
select count(*)::int as skipped from d`;
}
