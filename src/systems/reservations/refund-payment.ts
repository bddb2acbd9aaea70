/**
 * `processRefund` of the public face: a person, or a part of the application, wants a payment back. It joins the
 * ledger's one refund of that payment; a parked one is tried again. A reservation that still stands is cancelled, not
 * refunded; one that was served can be refunded by a person of the house only, as goodwill that is counted apart.
 */
import { type Acting, nameActor, requireAdmin } from './actor.ts';
import { AppError } from './app-error.ts';
import { effectNames } from './effect-names.ts';
import { refundEffectKey, requestRefund } from './request-refund.ts';
import type { PaymentRow, RefundRow, RefundState, ReservationRow } from './reservation-row.ts';
import { queryAll, queryOne, type ReservationsContext } from './reservations-context.ts';
import { writeJournal } from './write-journal.ts';

export interface RefundResult {
  readonly refundId: number;
  readonly state: RefundState;
  readonly amount: number;
  readonly currency: string;
}

export async function refundPayment(
  c: ReservationsContext,
  paymentId: number,
  { actor }: Acting,
): Promise<RefundResult> {
  return c.database.transaction(async (tx) => {
    const found = await queryOne<PaymentRow>(tx, c.sql.readPayment, [paymentId]);
    const row = found && (await queryOne<ReservationRow>(tx, c.sql.lockReservation, [found.reservationId]));
    const payment = row && (await queryOne<PaymentRow>(tx, c.sql.readPayment, [paymentId]));
    if (!payment || payment.paidAmount === null || (actor.kind === 'user' && row.userId !== actor.id)) {
      throw new AppError(`There is no money to refund for payment ${paymentId}.`, { code: 'NOT_FOUND' });
    }
    const stands = row.paymentId === payment.id && (row.status === 'confirmed' || row.status === 'served');
    if (stands && row.status === 'confirmed') {
      throw new AppError(`Reservation ${row.id} is confirmed: cancel it, and its payment is refunded by itself.`, {
        code: 'INVALID_ARGUMENT',
      });
    }
    if (stands) requireAdmin(actor, 'A refund after the show');
    await requestRefund(c, tx, row, payment, stands ? 'goodwill' : causeOfEnd(row));
    const refund = (await queryAll<RefundRow>(tx, c.sql.listRefunds, [payment.id])).find(
      ({ origin }) => origin === 'automatic',
    );
    if (!refund) throw new Error(`The refund of payment ${paymentId} was not written.`);
    await writeJournal(c, tx, {
      event: 'refund asked for',
      reservationId: row.id,
      paymentId,
      actor: nameActor(actor),
      details: { state: refund.state },
    });
    const reopened =
      refund.state === 'manual'
        ? await queryOne<{ generation: number }>(tx, c.sql.reopenRefund, [refund.id])
        : undefined;
    if (reopened) {
      const key = refundEffectKey(refund.id, reopened.generation);
      await c.effects.enqueue(tx, effectNames.refund, { refundId: refund.id }, { key });
    }
    return {
      refundId: refund.id,
      state: reopened ? 'wanted' : refund.state,
      amount: refund.amount,
      currency: refund.currency,
    };
  });
}

function causeOfEnd(row: ReservationRow): 'cancelled' | 'expired' | 'second-payment' {
  if (row.status === 'cancelled' || row.status === 'expired') return row.status;
  return 'second-payment';
}
