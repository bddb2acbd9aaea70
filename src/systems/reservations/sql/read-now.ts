import { toMs } from './reservation-columns.ts';

/** → 1 row: the clock of reservations. */
export function readNowStatement(schema: string): string {
  return `
select ${toMs(`${schema}.reservations_now()`)} as "nowMs"`;
}
