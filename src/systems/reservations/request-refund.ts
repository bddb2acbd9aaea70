/**
 * The ledger's first line: money is owed back. One automatic refund per payment, whatever the causes and however many
 * find it at once. What is owed is journalled in the same transaction; the sending is an effect.
 */
import type { SqlExecutor } from '../../core/ports.ts';
import { effectNames } from './effect-names.ts';
import { writeRaceLog } from './race-log.ts';
import type { PaymentRow, RefundCause, ReservationRow } from './reservation-row.ts';
import { queryOne, type ReservationsContext } from './reservations-context.ts';
import { writeJournal } from './write-journal.ts';

/** True: it is new. False: the payment has its refund already. */
export async function requestRefund(
  c: ReservationsContext,
  tx: SqlExecutor,
  row: ReservationRow,
  payment: PaymentRow,
  cause: RefundCause,
): Promise<boolean> {
  const amount = payment.paidAmount ?? payment.amount;
  const currency = payment.paidCurrency ?? payment.currency;
  const values = [payment.id, cause, amount, currency];
  const made = await queryOne<{ id: number }>(tx, c.sql.requestRefund, values);
  if (!made) return false;
  const key = refundEffectKey(made.id, 1);
  await c.effects.enqueue(tx, effectNames.refund, { refundId: made.id }, { key });
  const about = { reservationId: row.id, videoId: row.videoId, paymentId: payment.id, actor: 'system' };
  if (cause === 'expired' || cause === 'expired-by-cap') {
    await writeRaceLog(c, tx, {
      scenario: 'EXPIRED_AFTER_PAYMENT',
      resolution: 'REFUNDED',
      reservationId: row.id,
      cause: `expired-after-payment:${payment.id}`,
      details: { chargedAtMs: payment.chargedAtMs, holdExpiresAtMs: row.holdExpiresAtMs, status: row.status },
    });
    await writeJournal(c, tx, { ...about, event: 'EXPIRED_RESERVATION_REFUNDED', details: { amount, currency } });
  }
  if (cause === 'render-failed') {
    await writeRaceLog(c, tx, {
      scenario: 'RENDER_FAILURE',
      resolution: 'REFUNDED',
      reservationId: row.id,
      videoId: row.videoId,
      cause: `render-refund:${payment.id}`,
    });
    await writeJournal(c, tx, { ...about, event: 'RENDER_FAILED_AUTO_REFUND', details: { amount, currency } });
  }
  return true;
}

/** Each generation is an effect of its own: a refund that a person reopens, or that fails late, runs again. */
export function refundEffectKey(refundId: number, generation: number): string {
  return `refund:${refundId}:${generation}`;
}
