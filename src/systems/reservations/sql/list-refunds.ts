import { refundColumns } from './refund-columns.ts';

/** $1 payment → the ledger of one payment */
export function listRefundsStatement(schema: string): string {
  return `
select ${refundColumns('f')} from ${schema}.refunds f where f.payment_id = $1::bigint order by f.id`;
}
