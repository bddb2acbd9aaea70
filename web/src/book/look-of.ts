import type { CustomerState } from '../../../src/server/index.ts';

/** One state, one colour, one glyph. */
const looks: Readonly<Record<CustomerState, { readonly state: string; readonly icon: string }>> = {
  kept: { state: 'hold', icon: 's-hold' },
  checking: { state: 'hold', icon: 's-hold' },
  'paying-later': { state: 'payment-pending', icon: 's-running' },
  confirmed: { state: 'confirmed', icon: 's-succeeded' },
  delayed: { state: 'confirmed', icon: 's-succeeded' },
  shown: { state: 'ok', icon: 's-succeeded' },
  ended: { state: 'expired', icon: 's-expired' },
  'expired-refunded': { state: 'refunded', icon: 's-refunded' },
  cancelled: { state: 'cancelled', icon: 's-canceled' },
  'cancelled-refunded': { state: 'refunded', icon: 's-refunded' },
  'render-failed-refunded': { state: 'refunded', icon: 's-refunded' },
};

export function lookOf(state: CustomerState): { readonly state: string; readonly icon: string } {
  return looks[state];
}
