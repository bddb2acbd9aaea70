/** $1 payment, $2 dispute, $3 state, $4 amount → 1 row if that is news */
export function recordDisputeStatement(schema: string): string {
  return `
update ${schema}.payments set
  dispute_id = $2::text, dispute_state = $3::text, disputed_amount = $4::integer
where id = $1::bigint
  and (dispute_id, dispute_state, disputed_amount) is distinct from ($2::text, $3::text, $4::integer)
returning id`;
}
