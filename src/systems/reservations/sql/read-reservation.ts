import { reservationColumns } from './reservation-columns.ts';

/** $1 id → 0 or 1 row */
export function readReservationStatement(schema: string): string {
  return `
select ${reservationColumns(schema, 'r')} from ${schema}.reservations r where r.id = $1::bigint`;
}
