/**
 * What the provider says of a session. Money that was seen is never unseen, and a session that is known was made.
 *
 * $1 payment, $2 state, $3 settled, $4 intent, $5 paid amount, $6 paid currency, $7 charged ms → 1 row, or 0 if it
 * holds money already and this says otherwise
 */
import { paymentColumns } from './payment-columns.ts';

export function recordSessionStatement(schema: string): string {
  return `
update ${schema}.payments p set
  state = $2::text,
  settled = $3::boolean,
  payment_intent_id = coalesce($4::text, p.payment_intent_id),
  paid_amount = coalesce($5::integer, p.paid_amount),
  paid_currency = coalesce($6::text, p.paid_currency),
  charged_at = coalesce(to_timestamp($7::float8 / 1000), p.charged_at),
  checked_at = ${schema}.reservations_now()
where p.id = $1::bigint and (p.paid_amount is null or $2::text in ('paid', 'differs'))
  and ($2::text <> 'never' or p.session_id is null)
returning ${paymentColumns('p')}`;
}
