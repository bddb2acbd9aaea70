/**
 * Who has a slot, and whether a hold could be made there at all.
 *
 * $1 user, $2 video, $3 day, $4 slot number, $5 HH:MM, $6 zone → 1 row; `id` is null where the slot is free
 */
import { toMs } from './reservation-columns.ts';

export function findSlotHolderStatement(schema: string): string {
  return `
select exists (select from ${schema}.videos v where v.id = $2::bigint and v.user_id = $1::bigint) as "videoFound",
  ($3::date + $5::time) at time zone $6::text <= ${schema}.reservations_now() as "slotBegun",
  r.id, r.user_id as "userId", r.video_id as "videoId", r.status,
  r.status = 'hold' and r.hold_expires_at <= ${schema}.reservations_now() as overdue,
  ${toMs('r.hold_expires_at')} as "holdExpiresAtMs", ${toMs(`${schema}.reservations_now()`)} as "nowMs"
from (values (1)) one
left join ${schema}.reservations r
  on r.projection_date = $3::date and r.slot_number = $4::integer and r.status not in ('expired', 'cancelled')`;
}
