import type { CustomerState } from '../../../src/server/index.ts';
import { type BookingLook, bookingLooks } from '../parts/booking-looks.ts';

/** What the house calls it. */
const names: Readonly<Record<CustomerState, keyof typeof bookingLooks>> = {
  kept: 'hold',
  checking: 'settling',
  'paying-later': 'payment_pending',
  confirmed: 'confirmed',
  delayed: 'confirmed',
  shown: 'served',
  ended: 'expired',
  'expired-refunded': 'refunded',
  cancelled: 'cancelled',
  'cancelled-refunded': 'refunded',
  'render-failed-refunded': 'refunded',
};

export function lookOf(state: CustomerState): BookingLook {
  return bookingLooks[names[state]];
}
