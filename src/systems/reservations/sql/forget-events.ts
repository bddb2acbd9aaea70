/** $1 age ms, $2 limit → forgotten */
export function forgetEventsStatement(schema: string): string {
  return `
delete from ${schema}.stripe_events where ctid = any (array(
  select ctid from ${schema}.stripe_events
  where state <> 'received' and done_at < ${schema}.reservations_now() - $1::float8 * interval '1 ms'
  limit $2::integer
))`;
}
