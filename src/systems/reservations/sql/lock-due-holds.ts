/**
 * Overdue holds that nobody else is working on, and expiring ones whose last session has ended.
 *
 * $1 limit → rows, locked; `unsettled` says whether a payment session may still bring money
 */
import { reservationColumns } from './reservation-columns.ts';

export function lockDueHoldsStatement(schema: string): string {
  return `
select ${reservationColumns(schema, 'r')},
  exists (select from ${schema}.payments p where p.reservation_id = r.id and not p.settled) as unsettled
from ${schema}.reservations r
where r.hold_expires_at <= ${schema}.reservations_now() and (r.status = 'hold' or (r.status = 'expiring'
  and not exists (select from ${schema}.payments p where p.reservation_id = r.id and not p.settled)))
order by r.hold_expires_at
limit $1::integer
for update of r skip locked`;
}
