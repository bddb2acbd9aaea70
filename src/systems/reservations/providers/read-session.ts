/**
 * A session as it comes over the wire, only the fields that we read, and what the port makes of it. The `stripe` SDK's
 * own types fit; so do the objects of the sandbox and of the fake.
 */
import { AppError } from '../app-error.ts';
import type { PaymentSession } from '../payment-port.ts';
import { type Metadata, readPaymentMetadata } from './payment-metadata.ts';
import { unknownStateError } from './provider-error.ts';
import { wireId } from './wire-id.ts';

export interface WireCharge {
  readonly id: string;
  readonly created: number;
  readonly paid: boolean;
  readonly payment_method_details?: { readonly type: string } | null;
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

/** Paid after the checkout, by a voucher. */
export const defaultDelayedMethods: readonly string[] = ['konbini'];

/** The payment intent must be expanded down to its charge: only the charge knows when and how the money was taken. */
export function readSession(
  session: WireSession,
  namespace: string,
  delayedMethods: readonly string[] = defaultDelayedMethods,
): PaymentSession {
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
  const isPaidLater = isPaid && delayedMethods.includes(charge?.payment_method_details?.type ?? '');
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
    ...(session.payment_intent === null ? {} : { paymentIntentId: wireId(session.payment_intent) }),
    ...(isPaid ? { chargedAtMs: (charge?.created ?? session.created) * 1000 } : {}),
    ...(isPaidLater ? { paidLater: true } : {}),
    ...(payableUntil === null ? {} : { payableUntilMs: payableUntil * 1000 }),
    ...(session.status === 'complete' && !isPaid && isDead ? { paymentFailed: true } : {}),
  };
}

function sessionStatusOf({ status, id }: WireSession): PaymentSession['status'] {
  if (status === 'open' || status === 'complete' || status === 'expired') return status;
  throw unknownStateError('Session', id, status);
}
