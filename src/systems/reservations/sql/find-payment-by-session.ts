import { paymentColumns } from './payment-columns.ts';

/** $1 session → 0 or 1 row */
export function findPaymentBySessionStatement(schema: string): string {
  return `
select ${paymentColumns('p')} from ${schema}.payments p where p.session_id = $1::text`;
}
