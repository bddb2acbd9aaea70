/**
 * Payments whose voucher can no longer be paid in time.
 *
 * $1 limit → `paymentId`, `version` of the reservation
 */
export function listOverdueVouchersStatement(schema: string): string {
  return `
select p.id as "paymentId", r.version
from ${schema}.reservations r
join ${schema}.payments p on p.reservation_id = r.id and p.state = 'pending'
where r.status = 'payment_pending' and r.pay_until <= ${schema}.reservations_now()
order by r.pay_until
limit $1::integer`;
}
