/**
 * Two claims about one reservation, or one video, that cannot both be true: which one stands, and what is owed to the
 * loser. The four rules of the first design come first; the others follow from the priority table.
 */
import type { ReservationStatus } from './priority-table.ts';
import type { VideoState } from './video-table.ts';

export type ContendingState = ReservationStatus | VideoState;

export interface Resolution {
  readonly winner: ContendingState;
  /** Money that is owed back because of it. */
  readonly refund: boolean;
  /** Why, in one sentence. */
  readonly because: string;
}

interface Rule {
  readonly winner: ContendingState;
  readonly loser: ContendingState;
  readonly refund?: true;
  readonly because: string;
}

export const conflictRules: readonly Rule[] = [
  { winner: 'expired', loser: 'hold', because: 'That time has run out is a fact.' },
  { winner: 'expired', loser: 'confirmed', refund: true, because: 'The deadline is strict; late money goes back.' },
  { winner: 'cancelled', loser: 'confirmed', refund: true, because: 'What the customer wants counts.' },
  { winner: 'processing', loser: 'failed', because: 'While a try is left, the service comes first.' },
  { winner: 'expiring', loser: 'hold', because: 'A hold past its deadline is on its way out.' },
  { winner: 'payment_pending', loser: 'hold', because: 'A voucher has a deadline of its own.' },
  { winner: 'confirmed', loser: 'hold', because: 'Paid in time.' },
  { winner: 'cancelled', loser: 'hold', because: 'What the customer wants counts.' },
  { winner: 'served', loser: 'hold', because: 'What was shown cannot be undone.' },
  { winner: 'expired', loser: 'expiring', because: 'The session is closed and nothing was paid.' },
  { winner: 'payment_pending', loser: 'expiring', because: 'A voucher has a deadline of its own.' },
  { winner: 'confirmed', loser: 'expiring', because: 'A refusal to close was a payment in time.' },
  { winner: 'cancelled', loser: 'expiring', because: 'What the customer wants counts.' },
  { winner: 'served', loser: 'expiring', because: 'What was shown cannot be undone.' },
  { winner: 'confirmed', loser: 'payment_pending', because: 'The money has come.' },
  { winner: 'expired', loser: 'payment_pending', because: 'The deadline of the voucher has passed.' },
  { winner: 'cancelled', loser: 'payment_pending', because: 'What the customer wants counts.' },
  { winner: 'served', loser: 'payment_pending', because: 'What was shown cannot be undone.' },
  { winner: 'served', loser: 'confirmed', because: 'What was shown cannot be undone.' },
  { winner: 'served', loser: 'cancelled', because: 'What was shown cannot be undone.' },
  { winner: 'served', loser: 'expired', because: 'What was shown cannot be undone.' },
  { winner: 'cancelled', loser: 'expired', because: 'Both free the slot; what the customer wanted is remembered.' },
  { winner: 'ready', loser: 'processing', because: 'Done is final, whichever attempt did it.' },
  { winner: 'ready', loser: 'failed', because: 'Done is final, whichever attempt did it.' },
  { winner: 'ready', loser: 'pending', because: 'Done is final, whichever attempt did it.' },
  { winner: 'processing', loser: 'pending', because: 'It has begun.' },
  { winner: 'failed', loser: 'pending', because: 'It has begun, and ended.' },
];

/**
 * Which of two contending states stands. Undefined: they do not contend (one is of a reservation, one of a video).
 * `retryable` decides between processing and failed: without a try left, failed stands.
 */
export function resolveConflict(
  a: ContendingState,
  b: ContendingState,
  options: { readonly retryable?: boolean } = {},
): Resolution | undefined {
  if (a === b) return { winner: a, refund: false, because: 'They agree.' };
  const rule = conflictRules.find(
    ({ winner, loser }) => (winner === a && loser === b) || (winner === b && loser === a),
  );
  if (!rule) return undefined;
  if (rule.winner === 'processing' && rule.loser === 'failed' && options.retryable === false) {
    return { winner: 'failed', refund: false, because: 'No try is left.' };
  }
  return { winner: rule.winner, refund: rule.refund ?? false, because: rule.because };
}
