/** The declared ways of a reservation and of a video. A move that is not here is refused before anything is sent. */
import { defineTransitions } from '../../core/transition.ts';

/** The way back from `expired` exists only for the policy `reinstate-if-free`, through the slot's unique index. */
export const reservationMoves = defineTransitions({
  states: ['hold', 'expiring', 'payment_pending', 'confirmed', 'served', 'expired', 'cancelled'],
  initial: 'hold',
  moves: {
    hold: { to: ['expiring', 'payment_pending', 'confirmed', 'expired', 'cancelled'] },
    expiring: { to: ['expired', 'payment_pending', 'confirmed', 'cancelled'] },
    payment_pending: { to: ['confirmed', 'expired', 'cancelled'] },
    confirmed: { to: ['served', 'cancelled'] },
    expired: { to: ['confirmed'] },
  },
});
