import type { ReservationSummary } from '../../systems/reservations/index.ts';
import type { ShownReservation } from '../booking-contract.ts';

/** As people of the house see it: the address in part, which is enough to recognise it. */
export function showReservation({ userId: _, email, ...rest }: ReservationSummary): ShownReservation {
  return { ...rest, email: hideAddress(email) };
}

export function hideAddress(email: string): string {
  const at = email.lastIndexOf('@');
  return at < 1 ? '•••' : `${email.slice(0, 1)}•••${email.slice(at)}`;
}
