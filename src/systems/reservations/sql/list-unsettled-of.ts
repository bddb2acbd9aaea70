import { paymentColumns } from './payment-columns.ts';

/** $1 reservation → its payments that may still bring money */
export function listUnsettledOfStatement(schema: string): string {
  return `
select ${paymentColumns('p')} from ${schema}.payments p
where p.reservation_id = $1::bigint and not p.settled
order by p.id`;
}
