/**
 * Leader: RUNNING on a silent or stopped worker, nobody asking yet → CONFIRMING with a deadline by the database's
 * clock. A flag: version stays. Until the deadline nobody takes the run away; a heartbeat sets it back.
 *
 * $1 epoch, $2 silent_after_seconds, $3 seconds until the deadline
 */
import { leadPart } from './run-parts.ts';

export function confirmStatement(schema: string): string {
  return `
with ${leadPart(schema, '$1')}, silent as materialized (
  select w.id from ${schema}.workers w
  where w.state = 'STOPPED' or w.seen_at < now() - make_interval(secs => $2::float8)
)
update ${schema}.job_runs r
set continuation_state = 'CONFIRMING', continuation_check_deadline_at = now() + make_interval(secs => $3::float8)
from silent s
where r.assigned_worker_id = s.id and r.state = 'RUNNING' and r.continuation_state = 'NONE'
  and (select token from lead) is not null
returning r.id`;
}
