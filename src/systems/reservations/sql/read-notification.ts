/**
 * Everything a mail says, as it is at the time of sending.
 *
 * $1 id → 0 or 1 row
 */
import { toMs } from './reservation-columns.ts';

export function readNotificationStatement(schema: string): string {
  return `
select n.id, n.key, n.template, n.data, n.state, n.reservation_id as "reservationId", r.status,
  r.projection_date::text as "projectionDate", r.slot_number as "slotNumber", r.amount, r.currency,
  ${toMs('r.slot_starts_at')} as "slotStartsAtMs", u.email, u.name, u.locale, v.title, v.status as "videoStatus"
from ${schema}.notifications n
join ${schema}.reservations r on r.id = n.reservation_id
join ${schema}.users u on u.id = n.user_id
join ${schema}.videos v on v.id = r.video_id
where n.id = $1::bigint`;
}
