/**
 * Leader: workers that fell silent no longer ask to be woken, and those that hold nothing are done with. One that
 * comes back finds itself STOPPED and registers anew.
 *
 * $1 epoch, $2 silent_after_seconds
 */
import { leadPart } from './run-parts.ts';

export function sweepWorkersStatement(schema: string): string {
  return `
with ${leadPart(schema, '$1')}
update ${schema}.workers w
set hungry = false,
    state = case when exists (select from ${schema}.job_runs r where r.assigned_worker_id = w.id and r.state in ('ASSIGNED', 'RUNNING'))
            then w.state else 'STOPPED' end
where (select token from lead) is not null and w.state <> 'STOPPED'
  and w.seen_at < now() - make_interval(secs => $2::float8)
returning w.id`;
}
