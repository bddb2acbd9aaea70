import type { ShownReservation } from '../../../../src/server/index.ts';

export type ShownState =
  | 'hold'
  | 'settling'
  | 'payment_pending'
  | 'confirmed'
  | 'served'
  | 'expired'
  | 'cancelled'
  | 'refunded'
  | 'manual';

/** One state, one colour, one glyph: `state` is the colour's name, `word` the key of its word. */
export interface ReservationLook {
  readonly word: ShownState;
  readonly state: string;
  readonly icon: string;
}

const looks: Readonly<Record<ShownState, Omit<ReservationLook, 'word'>>> = {
  hold: { state: 'hold', icon: 's-hold' },
  settling: { state: 'hold', icon: 's-confirming' },
  payment_pending: { state: 'payment-pending', icon: 's-running' },
  confirmed: { state: 'confirmed', icon: 's-succeeded' },
  served: { state: 'ok', icon: 's-succeeded' },
  expired: { state: 'expired', icon: 's-expired' },
  cancelled: { state: 'cancelled', icon: 's-canceled' },
  refunded: { state: 'refunded', icon: 's-refunded' },
  manual: { state: 'manual', icon: 's-critical' },
};

export function lookOfReservation(
  r: Pick<ShownReservation, 'status' | 'overdue' | 'problem' | 'refundState'>,
): ReservationLook {
  const word = shownState(r);
  return { word, ...looks[word] };
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
