/**
 * One row per cause.
 *
 * $1 key, $2 reservation, $3 template, $4 data → 1 row if it is new
 */
export function insertNotificationStatement(schema: string): string {
  return `
insert into ${schema}.notifications (key, user_id, reservation_id, template, data, created_at)
select $1::text, r.user_id, r.id, $3::text, $4::text::jsonb, ${schema}.reservations_now()
from ${schema}.reservations r where r.id = $2::bigint
on conflict (key) do nothing
returning id`;
}
