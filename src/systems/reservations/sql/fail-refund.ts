/**
 * A definite failure: the next try needs a new key, so the generation goes up. After the last, a person.
 *
 * $1 refund, $2 generation that failed, $3 reason, $4 provider's id of what failed (null: refused at once),
 * $5 failures allowed → 1 row: `state`, `generation`
 */
export function failRefundStatement(schema: string): string {
  return `
update ${schema}.refunds f set
  state = case when f.failures + 1 >= $5::integer then 'manual' else 'wanted' end,
  generation = f.generation + 1,
  failures = f.failures + 1,
  seen_failed = case when $4::text is null then f.seen_failed else f.seen_failed || to_jsonb($4::text) end,
  provider_refund_id = null,
  sent_at = null,
  reason = $3::text,
  checked_at = ${schema}.reservations_now(),
  finished_at = null
where f.id = $1::bigint and f.generation = $2::integer and f.state not in ('manual', 'superseded')
returning f.state, f.generation, f.failures`;
}
