/** A definite failure: another try under another key, with a growing delay; after the last, a person. */
import { applyEvent } from './apply-event.ts';
import { effectNames } from './effect-names.ts';
import { raiseAlert } from './raise-alert.ts';
import { refundEffectKey } from './request-refund.ts';
import type { PaymentRow, RefundRow, ReservationRow } from './reservation-row.ts';
import { queryOne, type ReservationsContext } from './reservations-context.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

export async function failRefund(
  c: ReservationsContext,
  refund: Pick<RefundRow, 'id' | 'generation' | 'paymentId'>,
  reason: string,
  failedId: string | null,
): Promise<void> {
  await c.database.transaction(async (tx) => {
    const payment = await queryOne<PaymentRow>(tx, c.sql.readPayment, [refund.paymentId]);
    const row = payment && (await queryOne<ReservationRow>(tx, c.sql.lockReservation, [payment.reservationId]));
    const values = [refund.id, refund.generation, reason, failedId, c.settings.refundFailuresMax];
    const failed = await queryOne<Pick<RefundRow, 'state' | 'generation' | 'failures'>>(tx, c.sql.failRefund, values);
    if (!row || !failed) return;
    if (failed.state !== 'manual') {
      const runAtMs = row.nowMs + Math.min(day, minute * 4 ** failed.failures);
      const key = refundEffectKey(refund.id, failed.generation);
      await c.effects.enqueue(tx, effectNames.refund, { refundId: refund.id }, { key, runAtMs });
      return;
    }
    const isOver = row.status === 'expired' || row.status === 'cancelled' || row.status === 'served';
    if (isOver) {
      await applyEvent(c, tx, row, 'refund fails for good', { actor: 'system', payment, problem: reason });
      return;
    }
    // A second payment, while the first one keeps the reservation alive.
    const subject = `reservation:${row.id}`;
    const details = { refundId: refund.id, problem: reason };
    await raiseAlert(c, tx, { rule: 'refund-manual', subject, level: 'critical', details });
  });
}
