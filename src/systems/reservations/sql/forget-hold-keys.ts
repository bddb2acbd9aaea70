/** $1 age ms, $2 limit → forgotten */
export function forgetHoldKeysStatement(schema: string): string {
  return `
delete from ${schema}.hold_keys where ctid = any (array(
  select ctid from ${schema}.hold_keys
  where created_at < ${schema}.reservations_now() - $1::float8 * interval '1 ms'
  limit $2::integer
))`;
}
