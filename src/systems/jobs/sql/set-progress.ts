/**
 * How far runs have come, as flags: version stays.
 *
 * $1 worker, $2 JSON array of {id, progress}
 */
export function setProgressStatement(schema: string): string {
  return `
update ${schema}.job_runs r set progress = p.progress
from json_to_recordset($2::json) as p(id bigint, progress float4)
where r.id = p.id and r.state = 'RUNNING' and r.assigned_worker_id = $1::bigint`;
}
