/**
 * A payment provider in memory: sessions, payments, refunds, disputes and the events about them, in the provider's own
 * shapes and by its own rules. The sandbox shows it through the port, the fake for tests over HTTP.
 */
import type { Clock, Random } from '../../../../../core/ports.ts';
import type { WireSession } from '../../read-session.ts';
import { type BookDisputes, bookDisputes } from './book-disputes.ts';
import { type BookRefunds, bookRefunds } from './book-refunds.ts';
import { type BookSessions, bookSessions } from './book-sessions.ts';
import {
  type BookContext,
  type BookEvent,
  type BookSession,
  type BookState,
  emptyBookState,
  type RefundPlan,
} from './book-state.ts';

export interface PaymentBookOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly pageUrl: (sessionId: string) => string;
  /** Said in events. */
  readonly apiVersion: string;
  readonly onEvent?: (event: BookEvent) => void;
  /** What an earlier life left behind. @default nothing */
  readonly state?: BookState;
}

export interface PaymentBook {
  readonly state: BookState;
  readonly sessions: BookSessions;
  readonly refunds: BookRefunds;
  readonly disputes: BookDisputes;
  /** What becomes of the next refund. */
  planRefund(plan: RefundPlan): void;
  /** With its payment and its charge inside, as `expand` would show it. */
  expand(session: BookSession): WireSession;
}

export function paymentBook(options: PaymentBookOptions): PaymentBook {
  const { clock, random, pageUrl, apiVersion, onEvent } = options;
  const state = options.state ?? emptyBookState();
  const context: BookContext = {
    state,
    clock,
    random,
    pageUrl,
    note(type, object) {
      const event: BookEvent = {
        id: `evt_${random.hex(12)}`,
        object: 'event',
        api_version: apiVersion,
        created: Math.floor(clock.wallMs() / 1000),
        // The object as it is now: an event that arrives late tells old news.
        data: { object: structuredClone(object) },
        livemode: false,
        pending_webhooks: 1,
        request: { id: null, idempotency_key: null },
        type,
      };
      state.events.push(event);
      onEvent?.(event);
    },
  };
  return {
    state,
    sessions: bookSessions(context),
    refunds: bookRefunds(context),
    disputes: bookDisputes(context),
    planRefund(plan) {
      state.refundPlans.push(plan);
    },
    expand(session) {
      const intent = session.payment_intent === null ? undefined : state.intents.get(session.payment_intent);
      if (!intent) return structuredClone(session);
      const charge = state.charges.get(intent.latest_charge ?? '');
      return structuredClone({ ...session, payment_intent: { ...intent, latest_charge: charge ?? null } });
    },
  };
}
