/** $1 user, $2 key → the reservation that this key made or was handed back */
import { reservationColumns } from './reservation-columns.ts';

export function findHoldByKeyStatement(schema: string): string {
  return `
select ${reservationColumns(schema, 'r')} from ${schema}.reservations r
where r.user_id = $1::bigint and r.idempotency_key = $2::text
union all
select ${reservationColumns(schema, 'r')} from ${schema}.hold_keys k join ${schema}.reservations r on r.id = k.reservation_id
where k.user_id = $1::bigint and k.idempotency_key = $2::text`;
}
