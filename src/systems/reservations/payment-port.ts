/**
 * What reservations need from a payment provider: facts, fetched by id, and three acts. An adapter translates and
 * decides nothing.
 *
 *   Every act carries an idempotency key, and the same key with the same request has one effect.
 *   A call that got no answer throws `AppError` PROVIDER_UNAVAILABLE (retryable): whether it acted is unknown.
 *   A definite no throws PROVIDER_REFUSED, except where it is an answer: an expired session that turned out complete,
 *   a refund of what is refunded already.
 *   Times are ms since 1970 by the provider's clock. Amounts are integers in minor units. Currency in lower case.
 */

export interface PaymentSession {
  readonly id: string;
  /** Where the customer pays; absent once it cannot be paid. */
  readonly url?: string;
  readonly status: 'open' | 'complete' | 'expired';
  /** A complete session can be unpaid: konbini and bank transfer are paid later, or never. */
  readonly paymentStatus: 'paid' | 'unpaid';
  readonly amount: number;
  readonly currency: string;
  readonly livemode: boolean;
  readonly createdAtMs: number;
  /** When it ends by itself while open. */
  readonly expiresAtMs: number;
  /** From our own metadata; absent: not made by us. */
  readonly reservationId?: number;
  /** Known once the customer has begun to pay. */
  readonly paymentIntentId?: string;
  /** When the money was captured. Present if and only if paid. */
  readonly chargedAtMs?: number;
  /** Until when a delayed method can still be paid. Providers forget it once it is paid. */
  readonly payableUntilMs?: number;
  /** Paid by a delayed method. The provider took the money, so its voucher had not lapsed. */
  readonly paidLater?: boolean;
  /** Complete and unpaid, and it will never be paid any more (the voucher lapsed). */
  readonly paymentFailed?: boolean;
}

export interface CreateSessionRequest {
  readonly reservationId: number;
  readonly amount: number;
  readonly currency: string;
  /** What the customer reads on the payment page. */
  readonly title: string;
  readonly customerEmail: string;
  readonly locale: 'en' | 'ja';
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** Never sooner than `minimumSessionMs` from now. */
  readonly expiresAtMs: number;
  /** Konbini and bank transfer are offered only when asked for. */
  readonly delayedMethods: boolean;
  readonly idempotencyKey: string;
}

export interface ProviderRefund {
  readonly id: string;
  readonly paymentIntentId: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: 'pending' | 'requires_action' | 'succeeded' | 'failed' | 'canceled';
  readonly createdAtMs: number;
  /** Id of our ledger row, from our own metadata; absent: made by a person at the provider. */
  readonly ledgerId?: number;
  /** Why it is pending or failed, in the provider's word. */
  readonly reason?: string;
  /** With `requires_action`: until when the customer can say where the money shall go. */
  readonly actionUntilMs?: number;
}

export interface CreateRefundRequest {
  readonly paymentIntentId: string;
  /** The whole payment, always: a second one would exceed it and is refused by the provider itself. */
  readonly amount: number;
  readonly currency: string;
  readonly ledgerId: number;
  readonly reservationId: number;
  /** For methods that cannot be refunded by themselves: where the customer is asked for an account. */
  readonly customerEmail: string;
  /** Sent with `reason: 'requested_by_customer'`. */
  readonly idempotencyKey: string;
}

export type CreateRefundAnswer =
  | { readonly kind: 'made'; readonly refund: ProviderRefund }
  /** Nothing is left to refund: list the refunds to learn which one did it. */
  | { readonly kind: 'already-refunded' }
  /** The bank has the money back in dispute: no refund while it lasts. */
  | { readonly kind: 'disputed' }
  /** A definite no. The next try needs another key: the provider replays its answer under this one. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string };

export interface ProviderDispute {
  readonly id: string;
  readonly paymentIntentId: string;
  readonly amount: number;
  readonly status: 'open' | 'won' | 'lost';
  readonly createdAtMs: number;
}

/** A verified event: a hint about an object, which is fetched again before anything is decided. */
export interface PaymentEvent {
  readonly id: string;
  /** The provider's own name, for the journal. */
  readonly type: string;
  readonly createdAtMs: number;
  readonly livemode: boolean;
  readonly subject: PaymentEventSubject;
}

export type PaymentEventSubject =
  | { readonly kind: 'session'; readonly sessionId: string; readonly reservationId?: number }
  | { readonly kind: 'refund'; readonly refundId: string; readonly paymentIntentId: string }
  | { readonly kind: 'dispute'; readonly disputeId: string; readonly paymentIntentId: string }
  /** Not about anything of ours: answered and counted. */
  | { readonly kind: 'other' };

export interface WebhookRequest {
  /** The body as it came, byte for byte: the signature is over these bytes. */
  readonly rawBody: string;
  /** The signature header; absent = not signed. */
  readonly signature: string | undefined;
  /** Now, for the tolerance in both directions. */
  readonly nowMs: number;
}

export interface PaymentPort {
  /** `stripe`, `sandbox`, … */
  readonly name: string;
  /** Real money. A session of the other mode is never believed. */
  readonly livemode: boolean;
  /** A session lives at least this long (Stripe: 30 minutes). */
  readonly minimumSessionMs: number;
  createSession(request: CreateSessionRequest): Promise<PaymentSession>;
  /** Undefined: the provider knows no such session. */
  getSession(sessionId: string): Promise<PaymentSession | undefined>;
  /** Ends an open session. Returns what it is now: `expired`, or `complete` when the customer was first. */
  expireSession(request: { readonly sessionId: string; readonly idempotencyKey: string }): Promise<PaymentSession>;
  /** Sessions made by us since then, any state, oldest first; of one reservation if it is named. */
  listSessions(request: {
    readonly sinceMs: number;
    readonly reservationId?: number;
  }): Promise<readonly PaymentSession[]>;
  createRefund(request: CreateRefundRequest): Promise<CreateRefundAnswer>;
  /** Every refund of a payment, oldest first. */
  listRefunds(paymentIntentId: string): Promise<readonly ProviderRefund[]>;
  /** Every dispute of a payment, oldest first. */
  listDisputes(paymentIntentId: string): Promise<readonly ProviderDispute[]>;
  /** Throws `AppError` WEBHOOK_INVALID for a bad signature, or a time outside the tolerance in either direction. */
  verifyWebhook(request: WebhookRequest): Promise<PaymentEvent>;
}
