/**
 * A hold owns its payment session: one that can be paid, never two.
 *
 *   1. In a transaction, with the reservation locked: the request is written down.
 *   2. The provider is asked, under a key made from that row: asked again it gives the same session.
 *   3. In a transaction: the session is noted. If the hold has ended meanwhile, the session is closed instead.
 */
import { type Acting, type Actor, localeOf } from './actor.ts';
import { AppError } from './app-error.ts';
import { customerError } from './error-texts.ts';
import type { PaymentSession } from './payment-port.ts';
import type { PaymentRow, ReservationRow } from './reservation-row.ts';
import { queryOne, type ReservationsContext } from './reservations-context.ts';
import { settleSession } from './settle-session.ts';

export interface Checkout {
  readonly reservationId: number;
  readonly sessionId: string;
  /** Where the customer pays. */
  readonly url: string;
  /** The hold's own deadline: payments after it are refunded. */
  readonly expiresAt: number;
}

interface Customer {
  readonly email: string;
  readonly name: string;
  readonly locale: 'en' | 'ja';
  readonly title: string;
}

export async function startCheckout(
  c: ReservationsContext,
  reservationId: number,
  { actor }: Acting,
): Promise<Checkout> {
  const { row, payment, customer } = await askForSession(c, reservationId, actor);
  if (payment.state === 'open' && payment.sessionId && payment.sessionUrl) {
    return toCheckout(row, payment.sessionId, payment.sessionUrl);
  }
  const session = await createSession(c, row, payment, customer);
  const settled = await c.database.transaction((tx) => settleSession(c, tx, session, 'event'));
  if (session.status !== 'open' || !session.url || settled.kind !== 'settled' || settled.status !== 'hold') {
    throw customerError('CANNOT_CHECK_OUT', localeOf(actor));
  }
  return toCheckout(row, session.id, session.url);
}

async function askForSession(
  c: ReservationsContext,
  reservationId: number,
  actor: Actor,
): Promise<{ readonly row: ReservationRow; readonly payment: PaymentRow; readonly customer: Customer }> {
  return c.database.transaction(async (tx) => {
    const row = await queryOne<ReservationRow>(tx, c.sql.lockReservation, [reservationId]);
    if (!row || (actor.kind === 'user' && row.userId !== actor.id)) throw customerError('NOT_FOUND', localeOf(actor));
    if (row.status !== 'hold' || row.overdue) throw customerError('CANNOT_CHECK_OUT', localeOf(actor));
    const customer = await queryOne<Customer>(tx, c.sql.readCustomer, [reservationId]);
    if (!customer) throw customerError('NOT_FOUND', localeOf(actor));
    const open = await queryOne<PaymentRow>(tx, c.sql.findOpenPayment, [reservationId]);
    if (open) return { row, payment: open, customer };
    const values = [reservationId, c.payments.name, row.amount, row.currency, c.settings.sessionMs];
    const asked = await queryOne<PaymentRow>(tx, c.sql.askPayment, values);
    if (!asked) throw new Error(`The request for a session of reservation ${reservationId} was not written.`);
    return { row, payment: asked, customer };
  });
}

/** A definite no ends the request, so that the customer can ask again; silence leaves it to be found. */
async function createSession(
  c: ReservationsContext,
  row: ReservationRow,
  payment: PaymentRow,
  customer: Customer,
): Promise<PaymentSession> {
  try {
    return await c.payments.createSession({
      reservationId: row.id,
      amount: payment.amount,
      currency: payment.currency,
      title: customer.title,
      customerEmail: customer.email,
      locale: customer.locale,
      successUrl: c.settings.returnUrl(row.id, 'paid'),
      cancelUrl: c.settings.returnUrl(row.id, 'left'),
      expiresAtMs: payment.expiresAtMs,
      delayedMethods: c.settings.delayedMethods,
      idempotencyKey: `session:${payment.id}`,
    });
  } catch (error) {
    if (error instanceof AppError && error.code === 'PROVIDER_REFUSED') {
      await c.database.query({
        ...c.sql.recordSession,
        values: [payment.id, 'never', true, null, null, null, null],
      });
    }
    throw error;
  }
}

function toCheckout(row: ReservationRow, sessionId: string, url: string): Checkout {
  return { reservationId: row.id, sessionId, url, expiresAt: row.holdExpiresAtMs };
}
