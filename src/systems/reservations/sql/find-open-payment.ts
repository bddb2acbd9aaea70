import { paymentColumns } from './payment-columns.ts';

/** $1 reservation → the payment whose session may be paid, if there is one */
export function findOpenPaymentStatement(schema: string): string {
  return `
select ${paymentColumns('p')} from ${schema}.payments p
where p.reservation_id = $1::bigint and p.state in ('asked', 'open')`;
}
