/**
 * What a scrape asks of the database, one row of one number each: `name`, `label` (or null), `value`. Labels are states,
 * never names that people choose, so the number of series is bounded.
 */
export function leaseGaugesStatement(schema: string): string {
  return `
select 'leases_held' as name, null as label, count(*)::float8 as value
from ${schema}.leases l where l.owner is not null and l.expires_at > statement_timestamp()
union all
select 'leases_waiting', null, coalesce(sum(cardinality(l.queue)), 0)::float8
from ${schema}.leases l where l.queue <> '{}'`;
}

/** PENDING runs that are due and that nobody has taken are the queue; its age is that of the oldest. */
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

export function webhookGaugesStatement(schema: string): string {
  return `
select 'webhooks_waiting' as name, null as label, count(*)::float8 as value
from ${schema}.stripe_events e where e.state = 'received'`;
}
