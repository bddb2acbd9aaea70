/**
 * Leader: the first due run of every key that has nobody active. One probe of the index per key, however many runs
 * stand behind it.
 *
 * $1 limit
 */
export function listGatedStatement(schema: string): string {
  const gated = `r.state in ('PENDING', 'ORPHANED') and r.gate = 1`;
  return `
with recursive keys as (
  (select r.concurrency_key as key from ${schema}.job_runs r where ${gated} and r.concurrency_key is not null
   order by r.concurrency_key limit 1)
  union all
  select (select r.concurrency_key from ${schema}.job_runs r where ${gated} and r.concurrency_key > k.key
          order by r.concurrency_key limit 1)
  from keys k where k.key is not null
)
select c.id, c.job_definition_id, c.queue_id, c.assigned_worker_id from keys k
cross join lateral (
  select r.id, r.job_definition_id, r.queue_id, r.assigned_worker_id from ${schema}.job_runs r
  where ${gated} and r.concurrency_key = k.key and r.scheduled_for <= now()
  order by r.priority, r.scheduled_for, r.id limit 1
) c
join ${schema}.queues q on q.id = c.queue_id and not q.paused
where not exists (select from ${schema}.job_runs x where x.concurrency_key = k.key and x.state in ('ASSIGNED', 'RUNNING'))
limit $1::int`;
}
