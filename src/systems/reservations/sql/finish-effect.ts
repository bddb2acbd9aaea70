/** $1 id, $2 claim, $3 state, $4 delay ms, $5 failed, $6 error → 0 rows: the claim is over */
export function finishEffectStatement(schema: string): string {
  return `
update ${schema}.reservation_effects set
  state = $3::text, claimed_until = null, last_error = $6::text,
  attempts = attempts + case when $5::boolean then 1 else 0 end,
  run_at = ${schema}.reservations_now() + $4::float8 * interval '1 ms',
  finished_at = case when $3::text <> 'waiting' then ${schema}.reservations_now() end
where id = $1::bigint and claim = $2::bigint and state = 'waiting'
returning id`;
}
