/**
 * Takes a slot, or says what the key stands for, in one statement. The slot's unique index decides between two at once; the
 * loser of a race finds nothing made and asks who has it.
 *
 * $1 user, $2 key, $3 video, $4 day, $5 slot number, $6 HH:MM, $7 zone, $8 amount, $9 currency, $10 hold ms
 * → 0 or 1 row: `made` true, or the reservation that this key made or was handed back
 */
import { reservationColumns } from './reservation-columns.ts';

export function insertHoldStatement(schema: string): string {
  return `
with prior as materialized (
  select r.* from ${schema}.reservations r where r.user_id = $1::bigint and r.idempotency_key = $2::text
  union all
  select r.* from ${schema}.hold_keys k join ${schema}.reservations r on r.id = k.reservation_id
  where k.user_id = $1::bigint and k.idempotency_key = $2::text
), slot as materialized (
  select ($4::date + $6::time) at time zone $7::text as starts_at
), made as (
  insert into ${schema}.reservations (user_id, video_id, projection_date, slot_number, status, hold_expires_at,
    idempotency_key, amount, currency, slot_starts_at, created_at, updated_at)
  select $1::bigint, v.id, $4::date, $5::integer, 'hold',
    least(${schema}.reservations_now() + $10::float8 * interval '1 ms', s.starts_at), $2::text, $8::integer, $9::text, s.starts_at,
    ${schema}.reservations_now(), ${schema}.reservations_now()
  from ${schema}.videos v, slot s
  where v.id = $3::bigint and v.user_id = $1::bigint and s.starts_at > ${schema}.reservations_now()
    and not exists (select from prior)
  on conflict do nothing
  returning *
)
select true as made, ${reservationColumns(schema, 'm')} from made m
union all
select false, ${reservationColumns(schema, 'p')} from prior p`;
}
