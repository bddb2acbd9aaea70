/**
 * Part of what a scrape asks of the database, one row for each number: `name`, `label` (or null), `value`. Labels are
 * states, never names that people choose, so the number of series is bounded.
 *
 * PENDING runs that are due and that nobody has taken are the queue; its age is that of the oldest.
 */
export function jobGaugesStatement(schema: string): string {
  return `
select 'job_runs' as name, r.state as label, count(*)::float8 as value from ${schema}.job_runs r group by r.state
union all
select 'job_queue_age_seconds', null,
  coalesce(greatest(0, extract(epoch from now() - min(r.scheduled_for))), 0)::float8
from ${schema}.job_runs r where r.state = 'PENDING' and r.scheduled_for <= now()
union all
select 'job_workers', w.state, count(*)::float8 from ${schema}.workers w
where w.state <> 'STOPPED' and w.seen_at > now() - interval '1 minute' group by w.state
union all
select 'job_worker_load', null, coalesce(sum(w.load), 0)::float8 from ${schema}.workers w
where w.state <> 'STOPPED' and w.seen_at > now() - interval '1 minute'
union all
select 'job_leader_epoch', null, f.token::float8 from ${schema}.fences f where f.resource = 'jobs'`;
}
