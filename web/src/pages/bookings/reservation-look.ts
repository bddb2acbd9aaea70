import type { ShownReservation } from '../../../../src/server/index.ts';
import { type BookingLook, bookingLooks } from '../../parts/booking-looks.ts';

type ShownState = Exclude<keyof typeof bookingLooks, 'expiring'>;

export interface ReservationLook extends BookingLook {
  /** The key of its word. */
  readonly word: ShownState;
}

export function lookOfReservation(
  r: Pick<ShownReservation, 'status' | 'overdue' | 'problem' | 'refundState'>,
): ReservationLook {
  const word = shownState(r);
  return { word, ...bookingLooks[word] };
}

function shownState({
  status,
  overdue,
  problem,
  refundState,
}: Pick<ShownReservation, 'status' | 'overdue' | 'problem' | 'refundState'>): ShownState {
  if (problem !== null) return 'manual';
  if (status === 'expiring' || (status === 'hold' && overdue)) return 'settling';
  if ((status === 'expired' || status === 'cancelled') && refundState !== null) return 'refunded';
  return status;
}

export function isLive({ status }: Pick<ShownReservation, 'status'>): boolean {
  return status !== 'expired' && status !== 'cancelled';
}
