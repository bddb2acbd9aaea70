/** News of disputes of one payment: what the provider says now is recorded, and freezes or frees the automation. */
import { applyEvent } from './apply-event.ts';
import type { ProviderDispute } from './payment-port.ts';
import type { PaymentRow, ReservationRow } from './reservation-row.ts';
import { changes, queryOne, type ReservationsContext } from './reservations-context.ts';

/** False: no payment of ours. */
export async function refreshDisputes(c: ReservationsContext, paymentIntentId: string): Promise<boolean> {
  const payment = await queryOne<PaymentRow>(c.database, c.sql.findPaymentByIntent, [paymentIntentId]);
  if (!payment) return false;
  const standing = weigh(await c.payments.listDisputes(paymentIntentId));
  if (standing) await recordDispute(c, payment, standing);
  return true;
}

/** A payment can be disputed more than once: one that is open weighs most, then one that was lost. */
function weigh(disputes: readonly ProviderDispute[]): ProviderDispute | undefined {
  const heaviest =
    disputes.findLast(({ status }) => status === 'open') ??
    disputes.findLast(({ status }) => status === 'lost') ??
    disputes.at(-1);
  // A dispute that was won has given the money back to us.
  const amount = disputes.reduce((sum, dispute) => sum + (dispute.status === 'won' ? 0 : dispute.amount), 0);
  return heaviest && { ...heaviest, amount };
}

async function recordDispute(c: ReservationsContext, payment: PaymentRow, dispute: ProviderDispute): Promise<void> {
  await c.database.transaction(async (tx) => {
    const row = await queryOne<ReservationRow>(tx, c.sql.lockReservation, [payment.reservationId]);
    if (!row) return;
    const amount = Math.min(dispute.amount, payment.paidAmount ?? payment.amount);
    const values = [payment.id, dispute.id, dispute.status, amount];
    if (!(await changes(tx, c.sql.recordDispute, values))) return;
    const event = dispute.status === 'open' ? 'dispute opened' : 'dispute closed';
    await applyEvent(c, tx, row, event, { actor: `provider:${c.payments.name}`, payment, problem: dispute.id });
  });
}
