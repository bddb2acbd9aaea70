/**
 * Leader: the workers that may be given something, least loaded first. A worker that leads too is left alone while
 * others are there. `told` is the part of its load that its last heartbeat named.
 *
 * $1 seconds after which a worker counts as silent
 */
export function listCandidatesStatement(schema: string): string {
  return `
select w.id, w.capacity, w.leads as "leading", w.queue_ids, w.definition_ids, w.load as told,
  w.load + (select count(*)::int from ${schema}.job_runs r where r.assigned_worker_id = w.id and r.state = 'ASSIGNED') as load
from ${schema}.workers w
where w.state = 'ACTIVE' and w.seen_at > now() - make_interval(secs => $1::float8)
order by load::float8 / greatest(w.capacity, 1), w.id`;
}
