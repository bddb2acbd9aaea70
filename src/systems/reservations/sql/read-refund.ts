/**
 * What the refund job needs to know.
 *
 * $1 refund → 0 or 1 row
 */
import { refundColumns } from './refund-columns.ts';

export function readRefundStatement(schema: string): string {
  return `
select ${refundColumns('f')}, p.payment_intent_id as "paymentIntentId", p.paid_amount as "paidAmount",
  p.paid_currency as "paidCurrency", p.dispute_state as "disputeState", p.reservation_id as "reservationId", u.email
from ${schema}.refunds f
join ${schema}.payments p on p.id = f.payment_id
join ${schema}.reservations r on r.id = p.reservation_id
join ${schema}.users u on u.id = r.user_id
where f.id = $1::bigint`;
}
