/**
 * Confirmed reservations whose video failed for good and whose time for a fix is over: a day after the failure, or
 * when the slot begins, whichever is first.
 *
 * $1 window ms, $2 limit → `reservationId`, `videoId`, `failure`
 */
export function listEndedWindowsStatement(schema: string): string {
  return `
select r.id as "reservationId", v.id as "videoId", v.failure
from ${schema}.videos v
join ${schema}.reservations r on r.video_id = v.id and r.status = 'confirmed'
where v.status = 'failed' and v.video_type = 'paid'
  and least(v.failed_at + $1::float8 * interval '1 ms', r.slot_starts_at) <= ${schema}.reservations_now()
order by v.failed_at
limit $2::integer`;
}
