/** What the sandbox of the payment provider remembers: plain objects in the provider's own shapes, linked by id. */
import type { Clock, Random } from '../../../../../core/ports.ts';
import type { Metadata } from '../../payment-metadata.ts';
import type { WireDispute } from '../../read-dispute.ts';
import type { WireEvent } from '../../read-payment-event.ts';
import type { WireRefund } from '../../read-refund.ts';
import type { WireSession } from '../../read-session.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Seconds since 1970, as in every object of the provider. */
export type Seconds = number;

export interface BookSession extends Mutable<WireSession> {
  readonly object: 'checkout.session';
  readonly mode: 'payment';
  payment_intent: string | null;
  url: string | null;
  amount_total: number;
  currency: string;
  status: 'open' | 'complete' | 'expired';
  payment_status: 'paid' | 'unpaid';
  readonly client_reference_id: string | null;
  readonly customer_email: string | null;
  readonly locale: string | null;
  readonly payment_method_types: readonly string[];
  readonly success_url: string;
  readonly cancel_url: string | null;
}

/** What the session was asked for and does not show: read by the hosted page and by the intent made later. */
export interface SessionPlan {
  readonly title: string;
  readonly intentMetadata: Metadata;
  readonly voucherDays: number;
}

export interface BookIntent {
  readonly id: string;
  readonly object: 'payment_intent';
  amount: number;
  amount_received: number;
  readonly currency: string;
  readonly created: Seconds;
  readonly livemode: boolean;
  status: 'requires_payment_method' | 'requires_action' | 'succeeded' | 'canceled';
  latest_charge: string | null;
  next_action: {
    readonly type: 'konbini_display_details';
    readonly konbini_display_details: { readonly expires_at: Seconds };
  } | null;
  readonly metadata: Metadata;
}

export interface BookCharge {
  readonly id: string;
  readonly object: 'charge';
  readonly amount: number;
  amount_refunded: number;
  readonly currency: string;
  readonly created: Seconds;
  readonly livemode: boolean;
  readonly paid: boolean;
  readonly status: 'succeeded' | 'failed';
  refunded: boolean;
  disputed: boolean;
  readonly payment_intent: string;
  readonly payment_method_details: { readonly type: string };
  readonly metadata: Metadata;
}

export interface BookRefund extends Mutable<WireRefund> {
  readonly object: 'refund';
  readonly charge: string;
  payment_intent: string;
  readonly reason: string | null;
  status: RefundState;
}

export type RefundState = 'pending' | 'requires_action' | 'succeeded' | 'failed' | 'canceled';

export interface BookDispute extends Mutable<WireDispute> {
  readonly object: 'dispute';
  readonly charge: string;
  payment_intent: string;
  readonly currency: string;
  readonly livemode: boolean;
  readonly reason: string;
  status: 'needs_response' | 'won' | 'lost';
}

export interface BookEvent extends WireEvent {
  readonly object: 'event';
  readonly api_version: string;
  readonly pending_webhooks: number;
  readonly request: { readonly id: null; readonly idempotency_key: string | null };
}

export interface BookState {
  readonly sessions: Map<string, BookSession>;
  readonly plans: Map<string, SessionPlan>;
  readonly intents: Map<string, BookIntent>;
  readonly charges: Map<string, BookCharge>;
  readonly refunds: Map<string, BookRefund>;
  readonly disputes: Map<string, BookDispute>;
  readonly events: BookEvent[];
  /** What becomes of the next refunds, first in, first out. */
  readonly refundPlans: RefundPlan[];
}

export interface RefundPlan {
  readonly status: RefundState;
  /** Why it is pending or failed. */
  readonly reason?: string;
}

/** What the parts of the book share. */
export interface BookContext {
  readonly state: BookState;
  readonly clock: Clock;
  readonly random: Random;
  /** Where the page of a session is. */
  readonly pageUrl: (sessionId: string) => string;
  /** Records an event about an object as it is now. */
  note(type: string, object: object): void;
}

export function emptyBookState(): BookState {
  return {
    sessions: new Map(),
    plans: new Map(),
    intents: new Map(),
    charges: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    events: [],
    refundPlans: [],
  };
}

export function secondsNow({ clock }: Pick<BookContext, 'clock'>): Seconds {
  return Math.floor(clock.wallMs() / 1000);
}
