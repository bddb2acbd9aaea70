/**
 * Checkout sessions and the payments made in them.
 *
 *   open ── paid by card ──────────► complete, paid
 *   open ── konbini chosen ────────► complete, unpaid ── money comes ──► complete, paid
 *                                                     └─ voucher lapses ► complete, unpaid for ever
 *   open ── its time is up, or told to ► expired          (a declined card leaves it open)
 */
import { accepted, type BookAnswer, bookRefusal, invalid, missing } from './book-refusal.ts';
import {
  type BookCharge,
  type BookContext,
  type BookIntent,
  type BookSession,
  type Seconds,
  type SessionPlan,
  secondsNow,
} from './book-state.ts';

/** The provider's own rule; also see `minimumSessionMs` of the port. */
const shortestSession: Seconds = 30 * 60;
const longestSession: Seconds = 24 * 3600;
const day: Seconds = 24 * 3600;

export interface OpenSession extends Partial<SessionPlan> {
  readonly amount: number;
  readonly currency: string;
  readonly title: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly successUrl: string;
  readonly cancelUrl?: string;
  readonly customerEmail?: string;
  readonly clientReferenceId?: string;
  readonly locale?: string;
  /** @default 24 hours from now */
  readonly expiresAt?: Seconds;
  /** @default card */
  readonly methods?: readonly string[];
}

export interface BookSessions {
  open(request: OpenSession): BookAnswer<BookSession>;
  find(sessionId: string): BookAnswer<BookSession>;
  expire(sessionId: string): BookAnswer<BookSession>;
  /** Pays by card. Another amount stands for a payment that is not what was asked. */
  pay(sessionId: string, other?: { readonly amount?: number; readonly currency?: string }): BookAnswer<BookSession>;
  /** The card is declined; the customer may try again. */
  decline(sessionId: string): BookAnswer<BookSession>;
  /** Chooses to pay later, at a konbini. */
  payLater(sessionId: string): BookAnswer<BookSession>;
  /** The voucher is paid, or lapses. */
  settleVoucher(sessionId: string, outcome: 'paid' | 'failed'): BookAnswer<BookSession>;
  /** Lets time do what it does by itself. */
  tick(): void;
}

export function bookSessions(context: BookContext): BookSessions {
  const { state, random, note } = context;

  const find = (sessionId: string): BookAnswer<BookSession> => {
    const session = state.sessions.get(sessionId);
    return session ? accepted(session) : missing('checkout session', sessionId);
  };
  const findOpen = (sessionId: string): BookAnswer<BookSession> => {
    const found = find(sessionId);
    if (!found.ok || found.value.status === 'open') return found;
    return bookRefusal({
      message: `Only Checkout Sessions with a status in ["open"] can be changed. This Checkout Session has a status of \`${found.value.status}\`.`,
    });
  };
  const close = (session: BookSession, status: 'complete' | 'expired'): void => {
    session.status = status;
    session.url = null;
  };
  const intentOf = (session: BookSession): BookIntent => {
    const known = session.payment_intent === null ? undefined : state.intents.get(session.payment_intent);
    if (known) return known;
    const intent: BookIntent = {
      id: `pi_${random.hex(12)}`,
      object: 'payment_intent',
      amount: session.amount_total,
      amount_received: 0,
      currency: session.currency,
      created: secondsNow(context),
      livemode: false,
      status: 'requires_payment_method',
      latest_charge: null,
      next_action: null,
      metadata: state.plans.get(session.id)?.intentMetadata ?? {},
    };
    state.intents.set(intent.id, intent);
    session.payment_intent = intent.id;
    note('payment_intent.created', intent);
    return intent;
  };
  const charge = (intent: BookIntent, method: string, isPaid: boolean): void => {
    const made: BookCharge = {
      id: `ch_${random.hex(12)}`,
      object: 'charge',
      amount: intent.amount,
      amount_refunded: 0,
      currency: intent.currency,
      created: secondsNow(context),
      livemode: false,
      paid: isPaid,
      status: isPaid ? 'succeeded' : 'failed',
      refunded: false,
      disputed: false,
      payment_intent: intent.id,
      payment_method_details: { type: method },
      metadata: intent.metadata,
    };
    state.charges.set(made.id, made);
    intent.latest_charge = made.id;
    intent.status = isPaid ? 'succeeded' : 'requires_payment_method';
    intent.amount_received = isPaid ? intent.amount : 0;
    intent.next_action = null;
    note(isPaid ? 'charge.succeeded' : 'charge.failed', made);
    note(isPaid ? 'payment_intent.succeeded' : 'payment_intent.payment_failed', intent);
  };
  const settle = (session: BookSession, outcome: 'paid' | 'failed'): void => {
    const intent = intentOf(session);
    if (outcome === 'paid') {
      charge(intent, 'konbini', true);
      session.payment_status = 'paid';
      note('checkout.session.async_payment_succeeded', session);
      return;
    }
    intent.status = 'requires_payment_method';
    intent.next_action = null;
    note('payment_intent.payment_failed', intent);
    note('checkout.session.async_payment_failed', session);
  };

  return {
    find,
    open(request) {
      const now = secondsNow(context);
      const expiresAt = request.expiresAt ?? now + longestSession;
      if (!Number.isSafeInteger(request.amount) || request.amount < 1) {
        return invalid('line_items[0][price_data][unit_amount]', 'This value must be greater than or equal to 1.');
      }
      if (!/^[a-z]{3}$/.test(request.currency)) return invalid('currency', `Invalid currency: ${request.currency}.`);
      if (request.successUrl === '') return invalid('success_url', 'Missing required param: success_url.');
      if (expiresAt < now + shortestSession || expiresAt > now + longestSession) {
        return invalid(
          'expires_at',
          'The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.',
        );
      }
      const id = `cs_test_${random.hex(16)}`;
      const session: BookSession = {
        id,
        object: 'checkout.session',
        mode: 'payment',
        url: context.pageUrl(id),
        status: 'open',
        payment_status: 'unpaid',
        amount_total: request.amount,
        currency: request.currency,
        livemode: false,
        created: now,
        expires_at: expiresAt,
        metadata: request.metadata,
        payment_intent: null,
        client_reference_id: request.clientReferenceId ?? null,
        customer_email: request.customerEmail ?? null,
        locale: request.locale ?? null,
        payment_method_types: request.methods ?? ['card'],
        success_url: request.successUrl,
        cancel_url: request.cancelUrl ?? null,
      };
      state.sessions.set(id, session);
      const { title, intentMetadata = {}, voucherDays = 3 } = request;
      state.plans.set(id, { title, intentMetadata, voucherDays });
      return accepted(session);
    },
    expire(sessionId) {
      const found = findOpen(sessionId);
      if (!found.ok) return found;
      close(found.value, 'expired');
      note('checkout.session.expired', found.value);
      return found;
    },
    pay(sessionId, other = {}) {
      const found = findOpen(sessionId);
      if (!found.ok) return found;
      const session = found.value;
      session.amount_total = other.amount ?? session.amount_total;
      session.currency = other.currency ?? session.currency;
      const intent = intentOf(session);
      intent.amount = session.amount_total;
      charge(intent, 'card', true);
      close(session, 'complete');
      session.payment_status = 'paid';
      note('checkout.session.completed', session);
      return found;
    },
    decline(sessionId) {
      const found = findOpen(sessionId);
      if (found.ok) charge(intentOf(found.value), 'card', false);
      return found;
    },
    payLater(sessionId) {
      const found = findOpen(sessionId);
      if (!found.ok) return found;
      const session = found.value;
      if (!session.payment_method_types.includes('konbini')) {
        return bookRefusal({ message: 'The payment method type "konbini" is not offered by this Checkout Session.' });
      }
      const intent = intentOf(session);
      intent.status = 'requires_action';
      const expiresAt = secondsNow(context) + (state.plans.get(session.id)?.voucherDays ?? 3) * day;
      intent.next_action = { type: 'konbini_display_details', konbini_display_details: { expires_at: expiresAt } };
      close(session, 'complete');
      note('payment_intent.requires_action', intent);
      note('checkout.session.completed', session);
      return found;
    },
    settleVoucher(sessionId, outcome) {
      const found = find(sessionId);
      if (!found.ok) return found;
      const intent = state.intents.get(found.value.payment_intent ?? '');
      if (intent?.status !== 'requires_action') {
        return bookRefusal({ message: `Checkout session ${sessionId} has no voucher that waits for its money.` });
      }
      settle(found.value, outcome);
      return found;
    },
    tick() {
      const now = secondsNow(context);
      for (const session of state.sessions.values()) {
        if (session.status === 'open' && session.expires_at <= now) {
          close(session, 'expired');
          note('checkout.session.expired', session);
        }
        const voucher = state.intents.get(session.payment_intent ?? '')?.next_action;
        if (voucher && voucher.konbini_display_details.expires_at <= now) settle(session, 'failed');
      }
    },
  };
}
