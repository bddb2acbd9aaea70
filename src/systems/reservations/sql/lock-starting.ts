/**
 * Reservations whose slot has begun and that have not heard of it. A hold never outlives the beginning of its slot: it
 * is overdue by then, and swept as such.
 *
 * $1 limit → rows, locked; `videoReady`
 */
import { reservationColumns } from './reservation-columns.ts';

export function lockStartingStatement(schema: string): string {
  return `
select ${reservationColumns(schema, 'r')},
  (select v.status = 'ready' from ${schema}.videos v where v.id = r.video_id) as "videoReady"
from ${schema}.reservations r
where r.status in ('payment_pending', 'confirmed') and r.slot_starts_at <= ${schema}.reservations_now()
order by r.slot_starts_at
limit $1::integer
for update of r skip locked`;
}
