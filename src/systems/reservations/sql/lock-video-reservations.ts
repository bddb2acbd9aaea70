/**
 * The confirmed reservations of a video, in the order in which everybody locks them.
 *
 * $1 video → rows, locked
 */
import { reservationColumns } from './reservation-columns.ts';

export function lockVideoReservationsStatement(schema: string): string {
  return `
select ${reservationColumns(schema, 'r')} from ${schema}.reservations r
where r.video_id = $1::bigint and r.status = 'confirmed'
order by r.id
for update of r`;
}
