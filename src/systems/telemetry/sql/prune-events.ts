/**
 * Forgets events, oldest first.
 *
 * $1 retention ms, $2 limit
 */
export function pruneEventsStatement(schema: string): string {
  return `
with old as materialized (
  select e.batch, e.number
  from ${schema}.telemetry_events e
  where e.occurred_at < statement_timestamp() - $1::float8 * interval '1 ms'
  order by e.occurred_at
  limit $2::int
  for update skip locked
)
delete from ${schema}.telemetry_events e using old
where e.batch = old.batch and e.number = old.number
returning 1`;
}
