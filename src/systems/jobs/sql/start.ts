/**
 * ASSIGNED → RUNNING for runs that the leader gave this worker. No row = no start right: nothing is begun. The epoch
 * is read from the fence here, and the start token comes from the sequence.
 *
 * $1 ids, $2 worker, $3 version
 */
import { transitionPart } from './run-parts.ts';

export function startStatement(schema: string): string {
  return `
with u as (
  update ${schema}.job_runs r
  set state = 'RUNNING', version = r.version + 1, started_at = now(),
      start_token = nextval('${schema}.start_tokens'),
      leader_epoch = (select token from ${schema}.fences where resource = 'jobs')
  where r.id = any($1::text::bigint[])
    and case when r.state = 'ASSIGNED' and r.assigned_worker_id = $2::bigint and r.version = $3::int then true else false end
  returning r.id, r.version, r.attempt, r.job_definition_id, r.leader_epoch, r.start_token, r.payload, r.priority,
    (extract(epoch from r.due_at) * 1000)::float8 as due_ms, r.cancel_requested_at is not null as cancel
), t as (${transitionPart(
    schema,
    `select id, leader_epoch, $2::bigint, version, attempt, 'ASSIGNED', 'RUNNING', 'started' from u`,
  )}
)
select * from u`;
}
