/** $1 age ms, $2 limit → forgotten */
export function forgetRacesStatement(schema: string): string {
  return `
delete from ${schema}.race_log where ctid = any (array(
  select ctid from ${schema}.race_log
  where timestamp < ${schema}.reservations_now() - $1::float8 * interval '1 ms'
  limit $2::integer
))`;
}
