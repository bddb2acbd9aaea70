/**
 * The second step of every ending: the session is closed at the provider, and what the provider then says settles the
 * reservation. "Cannot be closed, it is complete" is news of a payment, not an error.
 *
 * A session that was asked for and whose reply was lost is looked for. It is taken as never made only when the request
 * can no longer be under way.
 */

import type { EffectAnswer, EffectRun } from '../../core/effect-queue.ts';
import { AppError } from './app-error.ts';
import { applyEvent } from './apply-event.ts';
import type { PaymentSession } from './payment-port.ts';
import type { PaymentRow, ReservationRow } from './reservation-row.ts';
import { queryOne, type ReservationsContext } from './reservations-context.ts';
import { settleSession } from './settle-session.ts';

/** A request to the provider has ended by then, one way or the other. */
const requestMs = 120_000;
/** The provider's clock may be behind ours. */
const skewMs = 300_000;
/** Unanswered calls are repeated soon: a slot waits for the answer. */
const againMs = 10_000;

const done: EffectAnswer = { kind: 'done' };

export async function closeSession(c: ReservationsContext, run: EffectRun): Promise<EffectAnswer> {
  const { paymentId } = run.payload as { readonly paymentId: number };
  const payment = await queryOne<PaymentRow>(c.database, c.sql.readPayment, [paymentId]);
  if (!payment || payment.settled) return done;
  try {
    return payment.sessionId === null ? await findLostSession(c, payment) : await closeKnown(c, payment);
  } catch (error) {
    if (error instanceof AppError && error.retryable) return { kind: 'again', afterMs: againMs };
    throw error;
  }
}

async function closeKnown(c: ReservationsContext, payment: PaymentRow): Promise<EffectAnswer> {
  const sessionId = payment.sessionId as string;
  const before = await c.payments.getSession(sessionId);
  if (!before) return endPayment(c, payment);
  const session =
    before.status === 'open'
      ? await c.payments.expireSession({ sessionId, idempotencyKey: `close:${payment.id}` })
      : before;
  await settleClosed(c, payment, session);
  return session.status === 'open' ? { kind: 'again', afterMs: againMs } : done;
}

async function settleClosed(c: ReservationsContext, payment: PaymentRow, session: PaymentSession): Promise<void> {
  await c.database.transaction(async (tx) => {
    await settleSession(c, tx, session, 'close');
    if (session.status !== 'complete' || session.paymentStatus === 'paid') return;
    // Complete and unpaid, and its deadline may be over by now.
    const row = await queryOne<ReservationRow>(tx, c.sql.lockReservation, [payment.reservationId]);
    if (row?.status === 'payment_pending' && row.payUntilMs !== null && row.payUntilMs <= row.nowMs) {
      await applyEvent(c, tx, row, 'voucher deadline passes', { actor: 'system', payment });
    }
  });
}

async function findLostSession(c: ReservationsContext, payment: PaymentRow): Promise<EffectAnswer> {
  const { reservationId, askedAtMs } = payment;
  const sessions = await c.payments.listSessions({ reservationId, sinceMs: askedAtMs - skewMs });
  for (const session of sessions) {
    const known = await queryOne<PaymentRow>(c.database, c.sql.findPaymentBySession, [session.id]);
    if (known) continue;
    // Attaches it to the request; an open one is closed by the effect that this enqueues.
    await c.database.transaction((tx) => settleSession(c, tx, session, 'close'));
    return { kind: 'again', afterMs: 0 };
  }
  const now = await queryOne<{ nowMs: number }>(c.database, c.sql.readNow, []);
  if (now && now.nowMs < askedAtMs + requestMs) return { kind: 'again', afterMs: askedAtMs + requestMs - now.nowMs };
  return endPayment(c, payment);
}

/** The provider has no such session: no money will come from it. */
async function endPayment(c: ReservationsContext, payment: PaymentRow): Promise<EffectAnswer> {
  await c.database.transaction(async (tx) => {
    const row = await queryOne<ReservationRow>(tx, c.sql.lockReservation, [payment.reservationId]);
    if (!row) return;
    const ended = payment.sessionId === null ? 'never' : 'closed';
    await tx.query({ ...c.sql.recordSession, values: [payment.id, ended, true, null, null, null, null] });
    const others = await tx.query({ ...c.sql.listUnsettledOf, values: [row.id] });
    if (others.rows.length === 0) {
      await applyEvent(c, tx, row, 'settle: session closed unpaid', { actor: 'system', payment });
    }
  });
  return done;
}
