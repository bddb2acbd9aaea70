import { paymentColumns } from './payment-columns.ts';

/** $1 id → 0 or 1 row */
export function readPaymentStatement(schema: string): string {
  return `
select ${paymentColumns('p')} from ${schema}.payments p where p.id = $1::bigint`;
}
