/** A customer who came back, or an application that heard of a session: the session is fetched, then settled. */
import { AppError } from './app-error.ts';
import type { ReservationStatus } from './priority-table.ts';
import type { PaymentRow } from './reservation-row.ts';
import { queryOne, type ReservationsContext } from './reservations-context.ts';
import { settleSession } from './settle-session.ts';

export interface CheckoutOutcome {
  readonly reservationId: number;
  readonly status: ReservationStatus;
}

/** Only the id of what is given is believed. */
export async function handleCheckoutComplete(
  c: ReservationsContext,
  session: { readonly id: string },
): Promise<CheckoutOutcome> {
  const now = await c.payments.getSession(session.id);
  if (!now) {
    throw new AppError(`The payment provider knows no session ${session.id}.`, { code: 'NOT_FOUND' });
  }
  const settled = await c.database.transaction((tx) => settleSession(c, tx, now, 'event'));
  if (settled.kind === 'settled') return settled;
  if (settled.kind === 'unruled') {
    throw new AppError(`Session ${session.id} cannot be settled yet; it is tried again by itself.`, {
      code: 'PROVIDER_UNAVAILABLE',
      retryable: true,
    });
  }
  throw new AppError(`Session ${session.id} belongs to no reservation of ours.`, { code: 'NOT_FOUND' });
}

/** The same, for a reservation that is known: a session of another one is refused. */
export async function confirmReservation(
  c: ReservationsContext,
  reservationId: number,
  session: { readonly id: string },
): Promise<CheckoutOutcome> {
  const payment = await queryOne<PaymentRow>(c.database, c.sql.findPaymentBySession, [session.id]);
  if (payment && payment.reservationId !== reservationId) {
    throw new AppError(
      `Session ${session.id} pays for reservation ${payment.reservationId}, not for ${reservationId}.`,
      { code: 'INVALID_ARGUMENT' },
    );
  }
  return handleCheckoutComplete(c, session);
}
