import type { ProviderRefund } from '../payment-port.ts';
import { type Metadata, readPaymentMetadata } from './payment-metadata.ts';
import { unknownStateError } from './provider-error.ts';
import { wireId } from './wire-id.ts';

/** A refund as it comes over the wire: only the fields that we read. */
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

export function readRefund(refund: WireRefund, namespace: string): ProviderRefund {
  const ledgerId = readPaymentMetadata(namespace, refund.metadata, 'ledgerId');
  const reason = refund.failure_reason ?? refund.pending_reason;
  const actionUntil = refund.next_action?.display_details?.expires_at;
  return {
    id: refund.id,
    paymentIntentId: wireId(refund.payment_intent),
    amount: refund.amount,
    currency: refund.currency,
    status: refundStatusOf(refund),
    createdAtMs: refund.created * 1000,
    ...(ledgerId === undefined ? {} : { ledgerId }),
    ...(reason === undefined ? {} : { reason }),
    ...(actionUntil === undefined ? {} : { actionUntilMs: actionUntil * 1000 }),
  };
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
      throw unknownStateError('Refund', id, status);
  }
}
