import type { Actor, ReservationStory } from '../../systems/reservations/index.ts';
import type { Call } from '../call.ts';
import { ProblemError } from '../problem.ts';
import { readId } from '../read-request.ts';
import type { BookingServices } from './booking-services.ts';

/** The routes of bookings exist only where the server has them, so this never throws in practice. */
export function bookingOf({ services }: Call): BookingServices {
  const { booking } = services.systems;
  if (!booking) throw new ProblemError({ status: 501, code: 'unsupported', detail: 'This server has no bookings.' });
  return booking;
}

/** The customer who asks. 404 before their first booking: they have nothing. */
export async function customerOf(call: Call, locale: 'en' | 'ja' = 'en'): Promise<Actor & { readonly kind: 'user' }> {
  const user = call.customer === undefined ? undefined : await bookingOf(call).customers.findUser(call.customer);
  if (!user) throw noSuchReservation();
  return { kind: 'user', id: user.id, locale };
}

/** The reservation in the path, if it is the customer's own; another's does not exist for them. */
export async function ownStory(call: Call, userId: number): Promise<ReservationStory> {
  const story = await bookingOf(call).reservations.read.story(readId(call));
  if (story?.reservation.userId !== userId) throw noSuchReservation();
  return story;
}

export function staffOf({ caller }: Call): Actor {
  return { kind: 'admin', name: caller?.name ?? 'unknown', locale: 'en' };
}

export function noSuchReservation(): ProblemError {
  return new ProblemError({ status: 404, code: 'NOT_FOUND', detail: 'There is no such reservation.' });
}
