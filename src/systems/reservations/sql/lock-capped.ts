/**
 * Reservations that have been expiring for longer than the cap.
 *
 * $1 cap ms, $2 limit → rows, locked
 */
import { reservationColumns } from './reservation-columns.ts';

export function lockCappedStatement(schema: string): string {
  return `
select ${reservationColumns(schema, 'r')}
from ${schema}.reservations r
where r.status = 'expiring' and r.hold_expires_at <= ${schema}.reservations_now()
  and r.expiring_since <= ${schema}.reservations_now() - $1::float8 * interval '1 ms'
order by r.hold_expires_at
limit $2::integer
for update of r skip locked`;
}
