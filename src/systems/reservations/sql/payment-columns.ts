import { toMs } from './reservation-columns.ts';

/** A payment as its readers want it. */
export function paymentColumns(p: string): string {
  return `${p}.id, ${p}.reservation_id as "reservationId", ${p}.state, ${p}.session_id as "sessionId",
  ${p}.session_url as "sessionUrl", ${p}.amount, ${p}.currency, ${p}.paid_amount as "paidAmount",
  ${p}.paid_currency as "paidCurrency", ${p}.payment_intent_id as "paymentIntentId", ${p}.settled,
  ${p}.dispute_state as "disputeState", ${p}.dispute_id as "disputeId", ${toMs(`${p}.expires_at`)} as "expiresAtMs",
  ${toMs(`${p}.asked_at`)} as "askedAtMs", ${toMs(`${p}.charged_at`)} as "chargedAtMs"`;
}
