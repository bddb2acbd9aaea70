/**
 * One automatic refund per payment, whatever the causes: the second cause joins the first.
 *
 * $1 payment, $2 cause, $3 amount, $4 currency → 1 row if it is new
 */
export function requestRefundStatement(schema: string): string {
  return `
insert into ${schema}.refunds (payment_id, origin, cause, amount, currency, state, requested_at, checked_at)
values ($1::bigint, 'automatic', $2::text, $3::integer, $4::text, 'wanted', ${schema}.reservations_now(), ${schema}.reservations_now())
on conflict (payment_id) where origin = 'automatic' do nothing
returning id`;
}
