/**
 * Leader: ASSIGNED too long on a worker that is detached, draining, stopped or silent → ORPHANED. `assign` gives it
 * to another, as a new attempt.
 *
 * $1 epoch, $2 reassign_after_seconds, $3 silent_after_seconds
 */
import { leadPart, transitionPart } from './run-parts.ts';

export function orphanStatement(schema: string): string {
  return `
with ${leadPart(schema, '$1')}, lost as materialized (
  select r.id, r.assigned_worker_id as worker from ${schema}.job_runs r
  left join ${schema}.workers w on w.id = r.assigned_worker_id
  where r.state = 'ASSIGNED' and (select token from lead) is not null
    and (w.id is null or w.state <> 'ACTIVE' or w.seen_at < now() - make_interval(secs => $3::float8))
    and r.assigned_at < now() - make_interval(secs => $2::float8)
  for update of r skip locked
), u as (
  update ${schema}.job_runs r
  set state = 'ORPHANED', version = r.version + 1, leader_epoch = $1::bigint
  where r.id = any(array(select id from lost)) and case r.state when 'ASSIGNED' then true else false end
  returning r.id, r.version, r.attempt, r.assigned_worker_id
), t as (${transitionPart(
    schema,
    `select id, $1::bigint, assigned_worker_id, version, attempt, 'ASSIGNED', 'ORPHANED', 'worker lost' from u`,
  )}
)
select id from u`;
}
