/**
 * After a claim or start whose reply was lost: everything RUNNING here, to be compared with what the process knows;
 * what it does not know it runs now.
 *
 * $1 worker
 */
export function mineStatement(schema: string): string {
  return `
select r.id, r.version, r.attempt, r.job_definition_id, r.leader_epoch, r.start_token, r.payload, r.priority,
  (extract(epoch from r.due_at) * 1000)::float8 as due_ms
from ${schema}.job_runs r
where r.assigned_worker_id = $1::bigint and r.state = 'RUNNING'`;
}
