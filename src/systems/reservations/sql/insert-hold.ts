/**
 * Takes a slot. The unique index of the slot decides between two at once, that of the key between two of one request; a
 * key that was once handed back a hold makes none. Small on purpose: who finds nothing made asks further.
 *
 * $1 user, $2 key, $3 video, $4 day, $5 slot number, $6 HH:MM, $7 zone, $8 amount, $9 currency, $10 hold ms → 0 or 1 row
 */
import { toMs } from './reservation-columns.ts';

export function insertHoldStatement(schema: string): string {
  return `
insert into ${schema}.reservations (user_id, video_id, projection_date, slot_number, status, hold_expires_at,
  idempotency_key, amount, currency, slot_starts_at, created_at, updated_at)
select $1::bigint, v.id, $4::date, $5::integer, 'hold',
  least(${schema}.reservations_now() + $10::float8 * interval '1 ms', ($4::date + $6::time) at time zone $7::text),
  $2::text, $8::integer, $9::text, ($4::date + $6::time) at time zone $7::text,
  ${schema}.reservations_now(), ${schema}.reservations_now()
from ${schema}.videos v
where v.id = $3::bigint and v.user_id = $1::bigint
  and ($4::date + $6::time) at time zone $7::text > ${schema}.reservations_now()
  and not exists (select from ${schema}.hold_keys k where k.user_id = $1::bigint and k.idempotency_key = $2::text)
on conflict do nothing
returning id, status, ${toMs('hold_expires_at')} as "holdExpiresAtMs"`;
}
