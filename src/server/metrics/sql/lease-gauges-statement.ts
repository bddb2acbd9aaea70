/**
 * Part of what a scrape asks of the database, one row for each number: `name`, `label` (or null), `value`. Labels are
 * states, never names that people choose, so the number of series is bounded.
 */
export function leaseGaugesStatement(schema: string): string {
  return `
select 'leases_held' as name, null as label, count(*)::float8 as value
from ${schema}.leases l where l.owner is not null and l.expires_at > statement_timestamp()
union all
select 'leases_waiting', null, coalesce(sum(cardinality(l.queue)), 0)::float8
from ${schema}.leases l where l.queue <> '{}'`;
}
