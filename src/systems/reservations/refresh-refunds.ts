/**
 * News of refunds of one payment. The provider's list is the truth: refunds of ours move the ledger, those that a person
 * made at the provider are adopted into it, and what they leave of the payment is an event.
 */
import { applyEvent } from './apply-event.ts';
import type { ProviderRefund } from './payment-port.ts';
import { recordRefund } from './record-refund.ts';
import type { PaymentRow, RefundRow, ReservationRow } from './reservation-row.ts';
import { changes, queryAll, queryOne, type ReservationsContext } from './reservations-context.ts';

/** False: no payment of ours. */
export async function refreshRefunds(c: ReservationsContext, paymentIntentId: string): Promise<boolean> {
  const payment = await queryOne<PaymentRow>(c.database, c.sql.findPaymentByIntent, [paymentIntentId]);
  if (!payment) return false;
  const listed = await c.payments.listRefunds(paymentIntentId);
  const ledger = await queryAll<RefundRow>(c.database, c.sql.listRefunds, [payment.id]);
  const automatic = ledger.find(({ origin }) => origin === 'automatic');
  for (const refund of listed) {
    if (automatic && refund.ledgerId === automatic.id) await recordRefund(c, automatic.id, refund);
  }
  const outside = listed.filter((refund) => refund.ledgerId === undefined || refund.ledgerId !== automatic?.id);
  if (outside.length > 0) await adoptOutside(c, payment, outside, listed);
  return true;
}

async function adoptOutside(
  c: ReservationsContext,
  payment: PaymentRow,
  outside: readonly ProviderRefund[],
  listed: readonly ProviderRefund[],
): Promise<void> {
  await c.database.transaction(async (tx) => {
    const row = await queryOne<ReservationRow>(tx, c.sql.lockReservation, [payment.reservationId]);
    if (!row) return;
    let news = false;
    for (const { id, amount, currency, status } of outside) {
      const state = status === 'canceled' ? 'failed' : status;
      const values = [payment.id, id, amount, currency.toLowerCase(), state, state === 'succeeded'];
      if (await changes(tx, c.sql.adoptRefund, values)) news = true;
    }
    // Only the payment that the reservation stands on decides about it.
    if (!news || row.paymentId !== payment.id) return;
    const given = listed.filter(({ status }) => status !== 'failed' && status !== 'canceled');
    const left = (payment.paidAmount ?? payment.amount) - given.reduce((sum, { amount }) => sum + amount, 0);
    const event = left <= 0 ? 'refunded outside, net zero' : 'refunded outside, in part';
    if (given.length > 0) {
      await applyEvent(c, tx, row, event, { actor: `provider:${c.payments.name}`, payment, problem: `left: ${left}` });
    }
  });
}
