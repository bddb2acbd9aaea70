import { toMs } from './reservation-columns.ts';

/** A row of the refund ledger as its readers want it. */
export function refundColumns(f: string): string {
  return `${f}.id, ${f}.payment_id as "paymentId", ${f}.origin, ${f}.cause, ${f}.amount, ${f}.currency, ${f}.state,
  ${f}.provider_refund_id as "providerRefundId", ${f}.generation, ${f}.failures, ${f}.seen_failed as "seenFailed",
  ${toMs(`${f}.sent_at`)} as "sentAtMs"`;
}
