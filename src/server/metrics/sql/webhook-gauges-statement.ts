/**
 * Part of what a scrape asks of the database, one row for each number: `name`, `label` (or null), `value`. Labels are
 * states, never names that people choose, so the number of series is bounded.
 */
export function webhookGaugesStatement(schema: string): string {
  return `
select 'webhooks_waiting' as name, null as label, count(*)::float8 as value
from ${schema}.stripe_events e where e.state = 'received'`;
}
