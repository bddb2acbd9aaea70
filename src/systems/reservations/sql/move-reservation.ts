/**
 * One guarded transition: the state and version that were read are named, so a late one changes nothing.
 *
 * $1 id, $2 from, $3 version, $4 to, $5 payment (null: unchanged), $6 pay until ms (null: unchanged)
 * → 0 or 1 row: the reservation after it
 */
import { reservationColumns } from './reservation-columns.ts';

export function moveReservationStatement(schema: string): string {
  return `
update ${schema}.reservations r set
  status = $4::text,
  version = r.version + 1,
  payment_id = coalesce($5::bigint, r.payment_id),
  pay_until = coalesce(to_timestamp($6::float8 / 1000), r.pay_until),
  cancelled_at = case when $4::text = 'cancelled' then ${schema}.reservations_now() end,
  expiring_since = case when $4::text = 'expiring' then ${schema}.reservations_now() else r.expiring_since end,
  updated_at = ${schema}.reservations_now()
where r.id = $1::bigint and r.status = $2::text and r.version = $3::integer
returning ${reservationColumns(schema, 'r')}`;
}
