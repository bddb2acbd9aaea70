/**
 * What the provider says of a refund of ours.
 *
 * $1 refund, $2 state that was read, $3 new state, $4 provider's id, $5 reason, $6 finished → 1 row if it was so
 */
export function recordRefundStatement(schema: string): string {
  return `
update ${schema}.refunds set
  state = $3::text, provider_refund_id = $4::text, reason = $5::text, checked_at = ${schema}.reservations_now(),
  finished_at = case when $6::boolean then ${schema}.reservations_now() end
where id = $1::bigint and state = $2::text
returning id`;
}
