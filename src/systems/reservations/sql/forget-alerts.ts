/** $1 age ms, $2 limit → forgotten */
export function forgetAlertsStatement(schema: string): string {
  return `
delete from ${schema}.alerts where ctid = any (array(
  select ctid from ${schema}.alerts
  where closed_at < ${schema}.reservations_now() - $1::float8 * interval '1 ms'
  limit $2::integer
))`;
}
