/**
 * One way for everybody who learns something of a payment session: webhook, returning customer, closing of a hold,
 * reconciliation. They bring what the provider says now, not what an event said once; so any order and number of them
 * ends alike.
 *
 *   open               nothing is decided; if nobody waits for it any more it is closed
 *   expired            no money will come from it
 *   complete, unpaid   a voucher: the reservation waits under the voucher's own deadline
 *   complete, paid     the time of the charge decides, not the time of the news
 *   other amount       never confirmed; a person is told, and it is refunded once the reservation is over
 */
import type { SqlExecutor } from '../../core/ports.ts';
import { type Applied, applyEvent } from './apply-event.ts';
import { effectNames } from './effect-names.ts';
import type { PaymentSession } from './payment-port.ts';
import type { ReservationEvent, ReservationStatus } from './priority-table.ts';
import { raiseAlert } from './raise-alert.ts';
import type { PaymentRow, ReservationRow } from './reservation-row.ts';
import { queryAll, queryOne, type ReservationsContext } from './reservations-context.ts';

export type Settled =
  | { readonly kind: 'settled'; readonly reservationId: number; readonly status: ReservationStatus }
  /** The table calls it impossible now; ask again later. */
  | { readonly kind: 'unruled'; readonly reservationId: number }
  /** It names a reservation that we do not know. */
  | { readonly kind: 'unknown' }
  /** It is not ours. */
  | { readonly kind: 'foreign' };

/** Who brings the news. */
export type SettleVia = 'event' | 'close';

export async function settleSession(
  c: ReservationsContext,
  tx: SqlExecutor,
  session: PaymentSession,
  via: SettleVia,
): Promise<Settled> {
  const known = await queryOne<PaymentRow>(tx, c.sql.findPaymentBySession, [session.id]);
  const reservationId = known?.reservationId ?? session.reservationId;
  if (reservationId === undefined) return { kind: 'foreign' };
  const row = await queryOne<ReservationRow>(tx, c.sql.lockReservation, [reservationId]);
  if (!row) return { kind: 'unknown' };
  const payment = await findPayment(c, tx, row, session);
  if (session.livemode !== c.payments.livemode) {
    const details = { sessionId: session.id, livemode: session.livemode };
    await raiseAlert(c, tx, { rule: 'other-mode', subject: `reservation:${row.id}`, level: 'critical', details });
    return { kind: 'settled', reservationId, status: row.status };
  }
  const applied = await applySession(c, tx, row, payment, session, via);
  if (applied.kind === 'unruled') return { kind: 'unruled', reservationId };
  return { kind: 'settled', reservationId, status: applied.row.status };
}

/** Our row of the session. One that we made and lost sight of is attached to its request, or adopted. */
async function findPayment(
  c: ReservationsContext,
  tx: SqlExecutor,
  row: ReservationRow,
  session: PaymentSession,
): Promise<PaymentRow> {
  // Read again: the row is locked only now.
  const known = await queryOne<PaymentRow>(tx, c.sql.findPaymentBySession, [session.id]);
  if (known) return known;
  const asked = await queryOne<PaymentRow>(tx, c.sql.findOpenPayment, [row.id]);
  if (asked?.state === 'asked') {
    const values = [asked.id, session.id, session.url ?? null, session.expiresAtMs];
    const attached = await queryOne<PaymentRow>(tx, c.sql.attachSession, values);
    if (attached) return attached;
  }
  const values = [row.id, c.payments.name, session.id, row.amount, row.currency, session.expiresAtMs];
  const adopted = await queryOne<PaymentRow>(tx, c.sql.adoptPayment, values);
  if (!adopted) throw new Error(`Session ${session.id} could not be adopted by reservation ${row.id}.`);
  return adopted;
}

async function applySession(
  c: ReservationsContext,
  tx: SqlExecutor,
  row: ReservationRow,
  payment: PaymentRow,
  session: PaymentSession,
  via: SettleVia,
): Promise<Applied> {
  const actor = `provider:${c.payments.name}`;
  const stayed: Applied = { kind: 'stayed', row };

  if (session.status === 'open') {
    await tx.query({ ...c.sql.touchPayment, values: [payment.id] });
    if (row.status === 'hold' && payment.state === 'open') return stayed;
    // A hold that is over, or a second session beside the open one: nobody waits for this money.
    const key = `close:${payment.id}:open:${row.version}`;
    await c.effects.enqueue(tx, effectNames.close, { paymentId: payment.id }, { key });
    return stayed;
  }

  if (session.paymentStatus === 'paid') return applyMoney(c, tx, row, payment, session);

  if (session.status === 'expired') {
    await recordSession(c, tx, payment, 'closed', true, session);
    // While another session of the hold may be paid, or has paid, this one decides nothing.
    if (isBeside(row, payment)) return stayed;
    if ((await queryAll(tx, c.sql.listUnsettledOf, [row.id])).length > 0) return stayed;
    const event = via === 'event' ? 'session expired (event)' : 'settle: session closed unpaid';
    return applyEvent(c, tx, row, event, { actor, payment });
  }

  if (session.paymentFailed) {
    await recordSession(c, tx, payment, 'failed', true, session);
    if (isBeside(row, payment)) return stayed;
    return applyEvent(c, tx, row, 'async payment failed', { actor, payment });
  }
  await recordSession(c, tx, payment, 'pending', false, session);
  const payUntilMs = voucherDeadline(row, session);
  return applyEvent(c, tx, row, 'completed, unpaid', {
    actor,
    payment,
    ...(payUntilMs !== undefined && { payUntilMs }),
  });
}

async function applyMoney(
  c: ReservationsContext,
  tx: SqlExecutor,
  row: ReservationRow,
  before: PaymentRow,
  session: PaymentSession,
): Promise<Applied> {
  const actor = `provider:${c.payments.name}`;
  const differs = session.amount !== row.amount || session.currency.toLowerCase() !== row.currency;
  const payment = await recordSession(c, tx, before, differs ? 'differs' : 'paid', before.settled, session);
  if (before.paidAmount === null) await tx.query({ ...c.sql.reviveEvents, values: [payment.paymentIntentId] });
  const event = nameMoney(row, payment, session, differs);
  const detail = {
    actor,
    payment,
    ...(differs && {
      problem: `asked ${row.amount} ${row.currency}, paid ${session.amount} ${session.currency}`,
    }),
  };
  let applied = await applyEvent(c, tx, row, event, detail);
  if (event === 'amount or currency differs' && applied.row.status === 'expiring') {
    // Nothing else can be paid: the hold ends, and what ended holds owe goes back.
    const closed = await applyEvent(c, tx, applied.row, 'settle: session closed unpaid', detail);
    applied = await applyEvent(c, tx, closed.row, event, detail);
  }
  const waits = event === 'amount or currency differs' && !isOver(applied.row.status);
  const open = applied.kind === 'unruled' || waits;
  if (!open) await tx.query({ ...c.sql.settlePayment, values: [payment.id] });
  return applied;
}

function nameMoney(
  row: ReservationRow,
  payment: PaymentRow,
  session: PaymentSession,
  differs: boolean,
): ReservationEvent {
  if (row.paymentId !== null && row.paymentId !== payment.id) return 'second payment for it';
  if (differs) return 'amount or currency differs';
  const chargedAtMs = session.chargedAtMs ?? row.nowMs;
  // A voucher that was paid had not lapsed, whether or not we ever heard that there was one.
  const deadlineMs = session.paidLater
    ? row.slotStartsAtMs
    : (voucherDeadline(row, session) ?? row.payUntilMs ?? row.holdExpiresAtMs);
  return chargedAtMs < deadlineMs ? 'paid (charged in time)' : 'paid (charged late)';
}

/** A voucher is worth nothing once the slot has begun. */
function voucherDeadline(row: ReservationRow, session: PaymentSession): number | undefined {
  return session.payableUntilMs === undefined ? undefined : Math.min(session.payableUntilMs, row.slotStartsAtMs);
}

async function recordSession(
  c: ReservationsContext,
  tx: SqlExecutor,
  payment: PaymentRow,
  state: PaymentRow['state'],
  settled: boolean,
  session: PaymentSession,
): Promise<PaymentRow> {
  const paid = session.paymentStatus === 'paid';
  const values = [
    payment.id,
    state,
    settled,
    session.paymentIntentId ?? null,
    paid ? session.amount : null,
    paid ? session.currency.toLowerCase() : null,
    paid ? (session.chargedAtMs ?? null) : null,
  ];
  return (await queryOne<PaymentRow>(tx, c.sql.recordSession, values)) ?? payment;
}

/** The reservation stands on another payment. */
function isBeside(row: ReservationRow, payment: PaymentRow): boolean {
  return row.paymentId !== null && row.paymentId !== payment.id;
}

function isOver(status: ReservationStatus): boolean {
  return status === 'expired' || status === 'cancelled';
}
