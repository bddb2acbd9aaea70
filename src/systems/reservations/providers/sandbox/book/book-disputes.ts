/** Disputes: the bank takes the money back at once, and the charge cannot be refunded unless the dispute is won. */
import { accepted, type BookAnswer, bookRefusal, missing } from './book-refusal.ts';
import { type BookContext, type BookDispute, secondsNow } from './book-state.ts';

export interface BookDisputes {
  open(paymentIntentId: string): BookAnswer<BookDispute>;
  close(disputeId: string, outcome: 'won' | 'lost'): BookAnswer<BookDispute>;
  ofPayment(paymentIntentId: string): readonly BookDispute[];
}

export function bookDisputes(context: BookContext): BookDisputes {
  const { state, random, note } = context;
  return {
    ofPayment: (paymentIntentId) =>
      [...state.disputes.values()].filter((dispute) => dispute.payment_intent === paymentIntentId),
    open(paymentIntentId) {
      const charge = state.charges.get(state.intents.get(paymentIntentId)?.latest_charge ?? '');
      if (!charge?.paid) return missing('charge of payment', paymentIntentId);
      if (charge.refunded) {
        return bookRefusal({ message: `Charge ${charge.id} is refunded in full: it cannot be disputed any more.` });
      }
      if (charge.disputed) return bookRefusal({ message: `Charge ${charge.id} is in dispute already.` });
      const dispute: BookDispute = {
        id: `du_${random.hex(12)}`,
        object: 'dispute',
        charge: charge.id,
        payment_intent: paymentIntentId,
        amount: charge.amount - charge.amount_refunded,
        currency: charge.currency,
        created: secondsNow(context),
        livemode: false,
        reason: 'fraudulent',
        status: 'needs_response',
      };
      state.disputes.set(dispute.id, dispute);
      charge.disputed = true;
      note('charge.dispute.created', dispute);
      note('charge.dispute.funds_withdrawn', dispute);
      return accepted(dispute);
    },
    close(disputeId, outcome) {
      const dispute = state.disputes.get(disputeId);
      if (!dispute) return missing('dispute', disputeId);
      if (dispute.status !== 'needs_response') {
        return bookRefusal({ message: `Dispute ${disputeId} is closed: ${dispute.status}.` });
      }
      dispute.status = outcome;
      const charge = state.charges.get(dispute.charge);
      if (charge && outcome === 'won') {
        charge.disputed = false;
        note('charge.dispute.funds_reinstated', dispute);
      }
      note('charge.dispute.closed', dispute);
      return accepted(dispute);
    },
  };
}
