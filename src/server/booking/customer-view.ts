/** A reservation as its customer may see it: nothing of the machinery, and every end with its explanation. */
import type { ReservationStory, ReservationSummary } from '../../systems/reservations/index.ts';

/**
 * What became of it, for the page's words. `checking`: the time is over and the provider is asked; `delayed`: the film
 * needs more time.
 */
export type CustomerState =
  | 'kept'
  | 'checking'
  | 'paying-later'
  | 'confirmed'
  | 'delayed'
  | 'shown'
  | 'ended'
  | 'expired-refunded'
  | 'cancelled'
  | 'cancelled-refunded'
  | 'render-failed-refunded';

export interface CustomerReservation {
  readonly id: number;
  readonly title: string;
  readonly projectionDate: string;
  readonly slotNumber: number;
  readonly startsAtMs: number;
  readonly state: CustomerState;
  readonly amount: number;
  readonly currency: string;
  readonly email: string;
  readonly holdEndsAtMs: number;
  /** With `paying-later`. */
  readonly payUntilMs: number | null;
  readonly canCancel: boolean;
  /** `sent`: the provider has made it; `coming`: it will. */
  readonly refund: { readonly amount: number; readonly state: 'coming' | 'sent' } | null;
  /** With `delayed`, in the view of one: the money comes back by itself then. */
  readonly readyByMs?: number;
  /** What happened when, oldest first; only in the view of one reservation. */
  readonly steps?: readonly CustomerStep[];
  /** The payment page of the sandbox, if it was opened; with `steps`. */
  readonly practiceCheckout?: string;
  /** The server's clock. */
  readonly nowMs: number;
}

export interface CustomerStep {
  readonly atMs: number;
  readonly kind: 'kept' | 'time-ended' | 'paid' | 'confirmed' | 'cancelled' | 'refund-sent' | 'mailed';
  /** With `paid`: how long after the time had ended. */
  readonly lateMs?: number;
}

export function customerView(r: ReservationSummary): CustomerReservation {
  const isLive = r.status === 'hold' || r.status === 'confirmed' || r.status === 'payment_pending';
  return {
    id: r.id,
    title: r.title,
    projectionDate: r.projectionDate,
    slotNumber: r.slotNumber,
    startsAtMs: r.slotStartsAtMs,
    state: stateOf(r),
    amount: r.amount,
    currency: r.currency,
    email: r.email,
    holdEndsAtMs: r.holdExpiresAtMs,
    payUntilMs: r.payUntilMs,
    canCancel: isLive && !r.begun,
    refund:
      r.refundState === null
        ? null
        : { amount: r.refundAmount ?? r.amount, state: r.refundState === 'succeeded' ? 'sent' : 'coming' },
    nowMs: r.nowMs,
  };
}

/** The same with its steps. */
export function customerStory(story: ReservationStory): CustomerReservation {
  const { reservation: r, payments, refunds, mails, journal } = story;
  const ended = r.holdExpiresAtMs;
  const charged = payments.flatMap(({ chargedAtMs }) => (chargedAtMs === null ? [] : [chargedAtMs]));
  const gaveUp = r.status === 'expired' || r.status === 'expiring';
  const steps: readonly CustomerStep[] = [
    gaveUp ? { atMs: ended, kind: 'time-ended' } : { atMs: r.createdAtMs, kind: 'kept' },
    // Providers count whole seconds: a payment is never shown before its booking.
    ...charged.map((atMs) => ({
      atMs: Math.max(atMs, r.createdAtMs),
      kind: 'paid' as const,
      ...(atMs > ended && { lateMs: atMs - ended }),
    })),
    ...journal.flatMap(({ atMs, to }) =>
      to === 'confirmed' || to === 'cancelled' ? [{ atMs, kind: to } as const] : [],
    ),
    ...refunds.flatMap(({ state, finishedAtMs, requestedAtMs }) =>
      state === 'succeeded' ? [{ atMs: finishedAtMs ?? requestedAtMs, kind: 'refund-sent' as const }] : [],
    ),
    ...mails.flatMap(({ state, finishedAtMs }) =>
      state === 'sent' && finishedAtMs !== null ? [{ atMs: finishedAtMs, kind: 'mailed' as const }] : [],
    ),
  ];
  const delay = mails.findLast(({ template }) => template === 'render-delayed')?.data.untilMs;
  const practice = payments.findLast(({ provider, sessionId }) => provider === 'sandbox' && sessionId !== null);
  return {
    ...customerView(r),
    ...(typeof delay === 'number' && { readyByMs: delay }),
    ...(practice?.sessionId && { practiceCheckout: practice.sessionId }),
    steps: steps.toSorted((a, b) => a.atMs - b.atMs),
  };
}

function stateOf(r: ReservationSummary): CustomerState {
  switch (r.status) {
    case 'hold':
      return r.overdue ? 'checking' : 'kept';
    case 'expiring':
      return 'checking';
    case 'payment_pending':
      return 'paying-later';
    case 'confirmed':
      return r.videoStatus === 'failed' ? 'delayed' : 'confirmed';
    case 'served':
      return 'shown';
    case 'expired':
      return r.refundState === null ? 'ended' : 'expired-refunded';
    case 'cancelled':
      if (r.refundState === null) return 'cancelled';
      return r.refundCause === 'render-failed' ? 'render-failed-refunded' : 'cancelled-refunded';
  }
}
