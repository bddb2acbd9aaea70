import type { ProviderDispute } from '../payment-port.ts';
import { wireId } from './wire-id.ts';

/** A dispute as it comes over the wire: only the fields that we read. */
export interface WireDispute {
  readonly id: string;
  readonly payment_intent: string | { readonly id: string } | null;
  readonly amount: number;
  readonly status: string;
  readonly created: number;
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
    paymentIntentId: wireId(dispute.payment_intent),
    amount: dispute.amount,
    status: ends[dispute.status] ?? 'open',
    createdAtMs: dispute.created * 1000,
  };
}
