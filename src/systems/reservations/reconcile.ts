/**
 * What no webhook told: every session, refund and dispute that is open and that nobody has mentioned for a while is asked about,
 * and the provider's own list is searched for sessions that we made and lost sight of.
 */
import { AppError } from './app-error.ts';
import { effectNames } from './effect-names.ts';
import { refreshDisputes } from './refresh-disputes.ts';
import { refreshRefunds } from './refresh-refunds.ts';
import { refundEffectKey } from './request-refund.ts';
import type { PaymentRow } from './reservation-row.ts';
import { queryAll, queryOne, type ReservationsContext } from './reservations-context.ts';
import { settleSession } from './settle-session.ts';

export interface ReconcileResult {
  readonly sessions: number;
  readonly refunds: number;
  readonly disputes: number;
  /** Sessions of ours that were in no row. */
  readonly found: number;
  /** Questions that the provider did not answer. */
  readonly unanswered: number;
}

const batch = 100;
const day = 86_400_000;
/** How far back the provider's list is searched: longer than a session lives. */
const searchMs = 26 * 3_600_000;

export async function reconcile(c: ReservationsContext): Promise<ReconcileResult> {
  const counts = { sessions: 0, refunds: 0, disputes: 0, found: 0, unanswered: 0 };
  const ask = async (question: () => Promise<void>): Promise<void> => {
    try {
      await question();
    } catch (error) {
      if (!(error instanceof AppError && error.retryable)) throw error;
      counts.unanswered++;
    }
  };
  const values = [c.settings.reconcileAfterMs, batch];
  for (const payment of await queryAll<PaymentRow>(c.database, c.sql.listStalePayments, values)) {
    counts.sessions++;
    await ask(() => askAboutPayment(c, payment));
  }
  const refunds = await queryAll<StaleRefund>(c.database, c.sql.listStaleRefunds, values);
  for (const refund of refunds) {
    counts.refunds++;
    await ask(() => askAboutRefund(c, refund));
  }
  const disputes = await queryAll<{ paymentIntentId: string }>(c.database, c.sql.listOpenDisputes, [batch]);
  for (const { paymentIntentId } of disputes) {
    counts.disputes++;
    await ask(async () => void (await refreshDisputes(c, paymentIntentId)));
  }
  await ask(async () => {
    counts.found = await findLostSessions(c);
  });
  return counts;
}

async function askAboutPayment(c: ReservationsContext, payment: PaymentRow): Promise<void> {
  await c.database.query({ ...c.sql.touchPayment, values: [payment.id] });
  const session = payment.sessionId === null ? undefined : await c.payments.getSession(payment.sessionId);
  if (session) return void (await c.database.transaction((tx) => settleSession(c, tx, session, 'event')));
  // The reply was lost, or the provider forgot: the closing job finds out which.
  const now = await queryOne<{ nowMs: number }>(c.database, c.sql.readNow, []);
  if (!now || now.nowMs < payment.expiresAtMs) return;
  const key = `close:${payment.id}:lost`;
  await c.database.transaction((tx) => c.effects.enqueue(tx, effectNames.close, { paymentId: payment.id }, { key }));
}

interface StaleRefund {
  readonly id: number;
  readonly state: string;
  readonly generation: number;
  readonly paymentIntentId: string | null;
}

async function askAboutRefund(c: ReservationsContext, refund: StaleRefund): Promise<void> {
  await c.database.query({ ...c.sql.touchRefund, values: [refund.id] });
  if (refund.paymentIntentId === null) return;
  if (refund.state !== 'wanted') return void (await refreshRefunds(c, refund.paymentIntentId));
  // Its job may have been parked by a long outage: another one a day, until the money is back.
  const now = await queryOne<{ nowMs: number }>(c.database, c.sql.readNow, []);
  const key = `${refundEffectKey(refund.id, refund.generation)}:day:${Math.floor((now?.nowMs ?? 0) / day)}`;
  await c.database.transaction((tx) => c.effects.enqueue(tx, effectNames.refund, { refundId: refund.id }, { key }));
}

async function findLostSessions(c: ReservationsContext): Promise<number> {
  const now = await queryOne<{ nowMs: number }>(c.database, c.sql.readNow, []);
  const listed = await c.payments.listSessions({ sinceMs: (now?.nowMs ?? 0) - searchMs });
  const ours = listed.filter(({ reservationId }) => reservationId !== undefined);
  const ids = JSON.stringify(ours.map(({ id }) => id));
  const unknown = new Set(
    (await queryAll<{ id: string }>(c.database, c.sql.listUnknownSessions, [ids])).map(({ id }) => id),
  );
  const lost = ours.filter(({ id }) => unknown.has(id));
  for (const session of lost) await c.database.transaction((tx) => settleSession(c, tx, session, 'event'));
  return lost.length;
}
