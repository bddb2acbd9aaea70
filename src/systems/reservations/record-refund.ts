/** What the provider says of a refund of ours becomes the ledger's truth, and the customer is told once. */
import type { SqlExecutor } from '../../core/ports.ts';
import { failRefund } from './fail-refund.ts';
import type { MailTemplate } from './mail-port.ts';
import { notifyCustomer } from './notify-customer.ts';
import type { ProviderRefund } from './payment-port.ts';
import type { PaymentRow, RefundCause, RefundRow, ReservationRow } from './reservation-row.ts';
import { changes, queryOne, type ReservationsContext } from './reservations-context.ts';

const firstMail: Readonly<Record<RefundCause, MailTemplate>> = {
  cancelled: 'reservation-cancelled-refunded',
  differs: 'refund-completed',
  expired: 'reservation-expired-refunded',
  'expired-by-cap': 'reservation-expired-refunded',
  goodwill: 'refund-completed',
  outside: 'refund-completed',
  'render-failed': 'render-failed-refunded',
  'second-payment': 'refund-completed',
};

export async function recordRefund(c: ReservationsContext, refundId: number, said: ProviderRefund): Promise<void> {
  const ledger = await queryOne<RefundRow>(c.database, c.sql.readRefund, [refundId]);
  if (!ledger || ledger.seenFailed.includes(said.id)) return;
  if (said.status === 'failed' || said.status === 'canceled') {
    await failRefund(c, ledger, said.reason ?? said.status, said.id);
    return;
  }
  await c.database.transaction((tx) => recordGiven(c, tx, ledger, said));
}

async function recordGiven(
  c: ReservationsContext,
  tx: SqlExecutor,
  { id, paymentId }: RefundRow,
  said: ProviderRefund,
): Promise<void> {
  const payment = await queryOne<PaymentRow>(tx, c.sql.readPayment, [paymentId]);
  const row = payment && (await queryOne<ReservationRow>(tx, c.sql.lockReservation, [payment.reservationId]));
  // Read again under the lock: somebody else may have recorded it meanwhile.
  const ledger = await queryOne<RefundRow>(tx, c.sql.readRefund, [id]);
  if (!row || !ledger || ledger.state === said.status || ledger.state === 'manual') return;
  const finished = said.status === 'succeeded';
  const values = [id, ledger.state, said.status, said.id, said.reason ?? null, finished];
  if (!(await changes(tx, c.sql.recordRefund, values))) return;
  const about = { reservationId: row.id, cause: `refund:${id}` };
  const data = { refundAmount: said.amount, currency: said.currency.toLowerCase() };
  if (said.status === 'requires_action') {
    const untilMs = said.actionUntilMs === undefined ? {} : { untilMs: said.actionUntilMs };
    await notifyCustomer(c, tx, { ...about, template: 'refund-needs-account', data: { ...data, ...untilMs } });
    return;
  }
  const first = firstMail[ledger.cause];
  // "Complete" is said when it is.
  if (first === 'refund-completed' && !finished) return;
  const isNews = await notifyCustomer(c, tx, { ...about, template: first, data });
  if (!isNews && finished) await notifyCustomer(c, tx, { ...about, template: 'refund-completed', data });
}
