/** One state of a booking, one colour, one glyph: for customers and for the house. `state` names the colour. */
export interface BookingLook {
  readonly state: string;
  readonly icon: string;
}

export const bookingLooks = {
  hold: { state: 'hold', icon: 's-hold' },
  settling: { state: 'hold', icon: 's-confirming' },
  expiring: { state: 'expired', icon: 's-expired' },
  payment_pending: { state: 'payment-pending', icon: 's-running' },
  confirmed: { state: 'confirmed', icon: 's-succeeded' },
  served: { state: 'ok', icon: 's-succeeded' },
  expired: { state: 'expired', icon: 's-expired' },
  cancelled: { state: 'cancelled', icon: 's-canceled' },
  refunded: { state: 'refunded', icon: 's-refunded' },
  manual: { state: 'manual', icon: 's-critical' },
} as const satisfies Readonly<Record<string, BookingLook>>;
