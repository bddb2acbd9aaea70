/**
 * The provider's objects as they come over the wire: only the fields that we read, and how they become what the port
 * speaks of. The `stripe` SDK's own types fit; so do the objects of the sandbox and of the fake.
 */
import { AppError } from '../app-error.ts';
import type {
  PaymentEvent,
  PaymentEventSubject,
  PaymentSession,
  ProviderDispute,
  ProviderRefund,
} from '../payment-port.ts';
import { type Metadata, readPaymentMetadata } from './payment-metadata.ts';

export interface WireCharge {
  readonly id: string;
  readonly created: number;
  readonly paid: boolean;
}

export interface WireIntent {
  readonly id: string;
  readonly status: string;
  readonly latest_charge: string | WireCharge | null;
  readonly next_action?: {
    readonly konbini_display_details?: { readonly expires_at: number | null };
  } | null;
}

export interface WireSession {
  readonly id: string;
  readonly url?: string | null;
  readonly status: string | null;
  readonly payment_status: string;
  readonly amount_total: number | null;
  readonly currency: string | null;
  readonly livemode: boolean;
  readonly created: number;
  readonly expires_at: number;
  readonly metadata: Metadata | null;
  readonly payment_intent: string | WireIntent | null;
}

export interface WireRefund {
  readonly id: string;
  readonly payment_intent: string | { readonly id: string } | null;
  readonly amount: number;
  readonly currency: string;
  readonly status: string | null;
  readonly created: number;
  readonly metadata: Metadata | null;
  readonly failure_reason?: string;
  readonly pending_reason?: string;
  readonly next_action?: { readonly display_details?: { readonly expires_at: number } } | null;
}

export interface WireDispute {
  readonly id: string;
  readonly payment_intent: string | { readonly id: string } | null;
  readonly amount: number;
  readonly status: string;
  readonly created: number;
}

export interface WireEvent {
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly livemode: boolean;
  readonly data: { readonly object: unknown };
}

/** The payment intent must be expanded down to its charge: only the charge knows when the money was taken. */
export function readSession(session: WireSession, namespace: string): PaymentSession {
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null;
  const charge = typeof intent?.latest_charge === 'object' ? intent.latest_charge : null;
  const isPaid = session.payment_status !== 'unpaid';
  if (isPaid && session.payment_status === 'paid' && !charge) {
    throw new AppError(
      `Session ${session.id} is paid, but came without its charge: ask for it with payment_intent.latest_charge expanded.`,
      { code: 'PROVIDER_REFUSED' },
    );
  }
  const reservationId = readPaymentMetadata(namespace, session.metadata, 'reservationId');
  const payableUntil = isPaid ? null : (intent?.next_action?.konbini_display_details?.expires_at ?? null);
  const isDead = intent?.status === 'requires_payment_method' || intent?.status === 'canceled';
  return {
    id: session.id,
    status: sessionStatusOf(session),
    paymentStatus: isPaid ? 'paid' : 'unpaid',
    amount: session.amount_total ?? 0,
    currency: session.currency ?? '',
    livemode: session.livemode,
    createdAtMs: session.created * 1000,
    expiresAtMs: session.expires_at * 1000,
    ...(session.url ? { url: session.url } : {}),
    ...(reservationId === undefined ? {} : { reservationId }),
    ...(session.payment_intent === null ? {} : { paymentIntentId: idOf(session.payment_intent) }),
    ...(isPaid ? { chargedAtMs: (charge?.created ?? session.created) * 1000 } : {}),
    ...(payableUntil === null ? {} : { payableUntilMs: payableUntil * 1000 }),
    ...(session.status === 'complete' && !isPaid && isDead ? { paymentFailed: true } : {}),
  };
}

export function readRefund(refund: WireRefund, namespace: string): ProviderRefund {
  const ledgerId = readPaymentMetadata(namespace, refund.metadata, 'ledgerId');
  const reason = refund.failure_reason ?? refund.pending_reason;
  const actionUntil = refund.next_action?.display_details?.expires_at;
  return {
    id: refund.id,
    paymentIntentId: idOf(refund.payment_intent),
    amount: refund.amount,
    currency: refund.currency,
    status: refundStatusOf(refund),
    createdAtMs: refund.created * 1000,
    ...(ledgerId === undefined ? {} : { ledgerId }),
    ...(reason === undefined ? {} : { reason }),
    ...(actionUntil === undefined ? {} : { actionUntilMs: actionUntil * 1000 }),
  };
}

export function readDispute(dispute: WireDispute): ProviderDispute {
  // Anything else is still under way, and freezes what we do by ourselves.
  const ends: Readonly<Record<string, 'won' | 'lost'>> = {
    won: 'won',
    warning_closed: 'won',
    lost: 'lost',
    // Settled before it began, by giving the money back.
    prevented: 'lost',
  };
  return {
    id: dispute.id,
    paymentIntentId: idOf(dispute.payment_intent),
    amount: dispute.amount,
    status: ends[dispute.status] ?? 'open',
    createdAtMs: dispute.created * 1000,
  };
}

/** An event names its object; what it says about it is not used, since it may be old news. */
export function readPaymentEvent(event: WireEvent, namespace: string): PaymentEvent {
  return {
    id: event.id,
    type: event.type,
    createdAtMs: event.created * 1000,
    livemode: event.livemode,
    subject: subjectOf(event, namespace),
  };
}

/** Checks the shape before anything is read from it: a signed body can still be another product's event. */
export function parsePaymentEvent(value: unknown): WireEvent | undefined {
  const event = asObject(value);
  const data = asObject(event?.data);
  if (!event || !asObject(data?.object)) return undefined;
  const { id, type, created, livemode } = event;
  return typeof id === 'string' &&
    /^[\w-]{1,255}$/.test(id) &&
    typeof type === 'string' &&
    typeof created === 'number' &&
    typeof livemode === 'boolean'
    ? { id, type, created, livemode, data: { object: data?.object } }
    : undefined;
}

function subjectOf({ type, data }: WireEvent, namespace: string): PaymentEventSubject {
  const object = asObject(data.object);
  const id = object?.id;
  if (!object || typeof id !== 'string') return { kind: 'other' };
  if (type.startsWith('checkout.session.')) {
    const metadata = asObject(object.metadata) as Metadata | undefined;
    const reservationId = readPaymentMetadata(namespace, metadata, 'reservationId');
    // Somebody else's checkout in the same account is none of our business.
    return reservationId === undefined ? { kind: 'other' } : { kind: 'session', sessionId: id, reservationId };
  }
  const paymentIntentId = typeof object.payment_intent === 'string' ? object.payment_intent : undefined;
  if (paymentIntentId === undefined) return { kind: 'other' };
  if (type.startsWith('refund.') || type === 'charge.refund.updated')
    return { kind: 'refund', refundId: id, paymentIntentId };
  if (type.startsWith('charge.dispute.')) return { kind: 'dispute', disputeId: id, paymentIntentId };
  return { kind: 'other' };
}

function sessionStatusOf({ status, id }: WireSession): PaymentSession['status'] {
  if (status === 'open' || status === 'complete' || status === 'expired') return status;
  throw unknownState('Session', id, status);
}

function refundStatusOf({ status, id }: WireRefund): ProviderRefund['status'] {
  switch (status) {
    case 'pending':
    case 'requires_action':
    case 'succeeded':
    case 'failed':
    case 'canceled':
      return status;
    default:
      throw unknownState('Refund', id, status);
  }
}

/** Guessing what a new word means would move money by guess. */
function unknownState(what: string, id: string, status: string | null): AppError {
  return new AppError(`${what} ${id} has the state "${status}", which is not known: look it up at the provider.`, {
    code: 'PROVIDER_REFUSED',
  });
}

function idOf(value: string | { readonly id: string } | null): string {
  return typeof value === 'string' ? value : (value?.id ?? '');
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
