/** $1 id, $2 delay ms, $3 why → comes back later */
export function parkEventStatement(schema: string): string {
  return `
update ${schema}.stripe_events set work_at = ${schema}.reservations_now() + $2::float8 * interval '1 ms', note = $3::text
where id = $1::text and state = 'received'`;
}
