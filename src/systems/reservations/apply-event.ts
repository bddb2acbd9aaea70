/**
 * The one place where a reservation changes. Every event, wherever it comes from, is brought here with the row locked
 * by the caller's transaction; the priority table says what it means.
 *
 *   1. Lock order, everywhere: reservation, then payment, then refund, then video.
 *   2. The move names the state and version that were read.
 *   3. What follows (refund, mail, render, closing of sessions) is enqueued in the same transaction, keyed by cause.
 *   4. A pair that the table calls impossible changes nothing. It is journalled, and a person is told.
 */
import type { SqlExecutor } from '../../core/ports.ts';
import { isDeclared } from '../../core/transition.ts';
import { effectNames } from './effect-names.ts';
import { notifyCustomer } from './notify-customer.ts';
import {
  decideRuling,
  type ReservationEffect,
  type ReservationEvent,
  type ReservationStatus,
} from './priority-table.ts';
import { writeRaceLog } from './race-log.ts';
import { raiseAlert } from './raise-alert.ts';
import { requestRefund } from './request-refund.ts';
import { reservationMoves } from './reservation-moves.ts';
import { type PaymentRow, type RefundCause, type ReservationRow, stateOf } from './reservation-row.ts';
import { queryAll, queryOne, type ReservationsContext } from './reservations-context.ts';
import { startRender } from './start-render.ts';
import { writeJournal } from './write-journal.ts';

export interface EventDetail {
  /** As it stands in the journal. */
  readonly actor: string;
  /** The payment that the event is about. */
  readonly payment?: PaymentRow;
  /** With `completed, unpaid`: until when the voucher can be paid. */
  readonly payUntilMs?: number;
  /** With `+alert`: what is wrong. */
  readonly problem?: string;
}

export type Applied =
  | { readonly kind: 'moved'; readonly row: ReservationRow }
  | { readonly kind: 'stayed'; readonly row: ReservationRow }
  | { readonly kind: 'unruled'; readonly row: ReservationRow }
  | {
      readonly kind: 'told';
      readonly answer: 'free' | 'ok' | 'refuse' | 'replay' | 'settling' | 'taken';
      readonly row: ReservationRow;
    };

export async function applyEvent(
  c: ReservationsContext,
  tx: SqlExecutor,
  row: ReservationRow,
  event: ReservationEvent,
  detail: EventDetail,
): Promise<Applied> {
  const ruling = decideRuling(stateOf(row), event);
  switch (ruling.kind) {
    case 'tell':
      return { kind: 'told', answer: ruling.answer, row };
    case 'unruled':
      return reportUnruled(c, tx, row, event, detail);
    case 'late-money':
      return applyLateMoney(c, tx, row, event, detail);
    case 'stay':
      if (ruling.effect) await runEffect(c, tx, row, event, ruling.effect, detail);
      return { kind: 'stayed', row };
    case 'move': {
      const moved = await moveReservation(c, tx, row, ruling.to, event, detail);
      if (ruling.effect) await runEffect(c, tx, moved, event, ruling.effect, detail);
      return { kind: 'moved', row: moved };
    }
  }
}

async function moveReservation(
  c: ReservationsContext,
  tx: SqlExecutor,
  row: ReservationRow,
  to: ReservationStatus,
  event: ReservationEvent,
  detail: EventDetail,
): Promise<ReservationRow> {
  if (!isDeclared(reservationMoves, row.status, to)) {
    throw new Error(`The priority table moves a reservation from ${row.status} to ${to}, which is not declared.`);
  }
  const paymentId = to === 'confirmed' ? (detail.payment?.id ?? null) : null;
  const payUntilMs = to === 'payment_pending' ? (detail.payUntilMs ?? null) : null;
  const values = [row.id, row.status, row.version, to, paymentId, payUntilMs];
  const moved = await queryOne<ReservationRow>(tx, c.sql.moveReservation, values);
  // The caller holds the row's lock; a row that is not as it was read means that it does not.
  if (!moved) throw new Error(`Reservation ${row.id} changed while its row was locked (was ${row.status}).`);
  await writeJournal(c, tx, {
    event,
    reservationId: row.id,
    ...(detail.payment && { paymentId: detail.payment.id }),
    actor: detail.actor,
    from: row.status,
    to,
  });
  if (to === 'confirmed') {
    await notifyCustomer(c, tx, { template: 'reservation-confirmed', reservationId: row.id });
    await startRender(c, tx, row.videoId);
    await closeSessions(c, tx, moved, detail.payment?.id);
  }
  if (to === 'payment_pending') {
    await notifyCustomer(c, tx, {
      template: 'payment-pending',
      reservationId: row.id,
      ...(payUntilMs !== null && { data: { untilMs: payUntilMs } }),
    });
  }
  if (event === 'admin cancels' && row.status !== 'confirmed') {
    await notifyCustomer(c, tx, { template: 'reservation-cancelled', reservationId: row.id });
  }
  return moved;
}

async function runEffect(
  c: ReservationsContext,
  tx: SqlExecutor,
  row: ReservationRow,
  event: ReservationEvent,
  effect: ReservationEffect,
  detail: EventDetail,
): Promise<void> {
  const subject = `reservation:${row.id}`;
  const details = { event, status: row.status, paymentId: detail.payment?.id, problem: detail.problem };
  switch (effect) {
    case 'refund':
    case 'refund 2nd': {
      const payment = detail.payment ?? (await paymentOf(c, tx, row));
      if (payment) await requestRefund(c, tx, row, payment, causeOf(event, row));
      return;
    }
    case 'close':
      return closeSessions(c, tx, row);
    case 'mail':
      await notifyCustomer(c, tx, {
        template: 'payment-failed',
        reservationId: row.id,
        cause: `${row.id}:${detail.payment?.id ?? 0}`,
      });
      return;
    case 'alert':
    case 'freeze':
    case 'manual':
      await raiseAlert(c, tx, { rule: alertRuleOf(event), subject, level: 'critical', details });
      return;
    case 'adopt':
    case 'thaw':
    case 'window':
      // The event's own record says it: the adopted refund, the dispute's state, the failure of the video.
      await writeJournal(c, tx, { event, reservationId: row.id, actor: detail.actor, details: { effect } });
  }
}

/** Every session that may still be paid is closed at the provider, and settled by what the provider then says. */
async function closeSessions(
  c: ReservationsContext,
  tx: SqlExecutor,
  row: ReservationRow,
  except?: number,
): Promise<void> {
  for (const payment of await queryAll<PaymentRow>(tx, c.sql.listUnsettledOf, [row.id])) {
    if (payment.id === except) continue;
    const key = `close:${payment.id}:${row.version}`;
    await c.effects.enqueue(tx, effectNames.close, { paymentId: payment.id }, { key });
  }
}

function paymentOf(c: ReservationsContext, tx: SqlExecutor, row: ReservationRow): Promise<PaymentRow | undefined> {
  return queryOne<PaymentRow>(tx, c.sql.readPayment, [row.paymentId]);
}

/**
 * Paid in time, but given up while the provider could not be reached. Reinstating goes through the slot's unique
 * index like every hold, and only if nothing was refunded.
 */
async function applyLateMoney(
  c: ReservationsContext,
  tx: SqlExecutor,
  row: ReservationRow,
  event: ReservationEvent,
  detail: EventDetail,
): Promise<Applied> {
  const { payment } = detail;
  if (!payment) return { kind: 'stayed', row };
  const refunds = await queryAll(tx, c.sql.listRefunds, [payment.id]);
  if (refunds.length > 0) return { kind: 'stayed', row };
  if (c.settings.lateMoney === 'reinstate-if-free' && !row.begun) {
    await tx.query({ text: 'savepoint reinstate' });
    try {
      const moved = await moveReservation(c, tx, row, 'confirmed', event, detail);
      await tx.query({ text: 'release savepoint reinstate' });
      return { kind: 'moved', row: moved };
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      await tx.query({ text: 'rollback to savepoint reinstate' });
    }
  }
  await requestRefund(c, tx, row, payment, 'expired-by-cap');
  return { kind: 'stayed', row };
}

async function reportUnruled(
  c: ReservationsContext,
  tx: SqlExecutor,
  row: ReservationRow,
  event: ReservationEvent,
  detail: EventDetail,
): Promise<Applied> {
  const state = stateOf(row);
  const isNew = await writeRaceLog(c, tx, {
    scenario: 'UNRULED',
    resolution: 'MANUAL_REQUIRED',
    reservationId: row.id,
    cause: `unruled:${row.id}:${state}:${event}`,
    details: { event, state, paymentId: detail.payment?.id },
  });
  if (isNew) {
    await writeJournal(c, tx, {
      event: 'unruled',
      reservationId: row.id,
      actor: detail.actor,
      details: { event, state },
    });
    const subject = `reservation:${row.id}`;
    await raiseAlert(c, tx, { rule: 'unruled', subject, level: 'critical', details: { event, state } });
  }
  return { kind: 'unruled', row };
}

function causeOf(event: ReservationEvent, row: ReservationRow): RefundCause {
  switch (event) {
    case 'second payment for it':
      return 'second-payment';
    case 'amount or currency differs':
      return 'differs';
    case 'window ends (same failure)':
    case 'slot begins, no video':
      return 'render-failed';
    case 'user cancels':
    case 'admin cancels':
      return 'cancelled';
    default:
      return row.status === 'cancelled' ? 'cancelled' : 'expired';
  }
}

function alertRuleOf(event: ReservationEvent): string {
  switch (event) {
    case 'dispute opened':
      return 'dispute';
    case 'settle: provider unreachable > cap':
      return 'provider-unreachable';
    case 'refund fails for good':
      return 'refund-manual';
    case 'refunded outside, in part':
      return 'refunded-in-part';
    default:
      return 'payment-differs';
  }
}

function isUniqueViolation(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === '23505';
}
