import { paymentColumns } from './payment-columns.ts';

/** $1 payment intent → 0 or 1 row */
export function findPaymentByIntentStatement(schema: string): string {
  return `
select ${paymentColumns('p')} from ${schema}.payments p where p.payment_intent_id = $1::text`;
}
