/** $1 age ms, $2 limit → forgotten */
export function forgetEffectsStatement(schema: string): string {
  return `
delete from ${schema}.reservation_effects where ctid = any (array(
  select ctid from ${schema}.reservation_effects
  where state = 'done' and finished_at < ${schema}.reservations_now() - $1::float8 * interval '1 ms'
  limit $2::integer
))`;
}
