/**
 * An operator's word: ASSIGNED → ORPHANED; the leader gives it to another as a new attempt. A run that is RUNNING is
 * not taken from its worker: cancel it, or detach the worker.
 *
 * $1 id, $2 version, $3 actor, $4 why → 0 or 1 row
 */
import { transitionPart } from './run-parts.ts';

export function reassignStatement(schema: string, channel: string): string {
  return `
with u as (
  update ${schema}.job_runs r set state = 'ORPHANED', version = r.version + 1
  where r.id = $1::bigint and r.state = 'ASSIGNED' and r.version = $2::int
  returning r.id, r.version, r.attempt, r.assigned_worker_id, r.leader_epoch
), t as (${transitionPart(
    schema,
    `select id, leader_epoch, assigned_worker_id, version, attempt, 'ASSIGNED', 'ORPHANED', 'reassigned by ' || $3::text from u`,
  )}
), a as (
  insert into ${schema}.audit (actor, action, target, before, after, why)
  select $3::text, 'reassign', 'run/' || id, json_build_object('state', 'ASSIGNED', 'workerId', assigned_worker_id),
    json_build_object('state', 'ORPHANED'), $4::text from u
)
select id, pg_notify('${channel}', 'lead') as told from u`;
}
