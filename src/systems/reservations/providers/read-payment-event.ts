import type { PaymentEvent, PaymentEventSubject } from '../payment-port.ts';
import { type Metadata, readPaymentMetadata } from './payment-metadata.ts';

/** An event as it comes over the wire: only the fields that we read. */
export interface WireEvent {
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly livemode: boolean;
  readonly data: { readonly object: unknown };
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

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
