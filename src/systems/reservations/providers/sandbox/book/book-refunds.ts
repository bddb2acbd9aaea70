/**
 * Refunds. The provider never gives back more than it took: what is pending counts as given, what failed or was
 * cancelled does not. A card refund succeeds at once unless a plan says otherwise; money paid at a konbini needs the
 * customer to name an account first.
 */
import { accepted, type BookAnswer, bookRefusal, invalid, missing } from './book-refusal.ts';
import {
  type BookCharge,
  type BookContext,
  type BookRefund,
  type RefundPlan,
  type RefundState,
  secondsNow,
} from './book-state.ts';

const accountDays = 45;

export interface MakeRefund {
  readonly paymentIntentId: string;
  /** @default all that is left */
  readonly amount?: number;
  readonly reason?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface BookRefunds {
  make(request: MakeRefund): BookAnswer<BookRefund>;
  find(refundId: string): BookAnswer<BookRefund>;
  ofPayment(paymentIntentId: string): readonly BookRefund[];
  /** A later turn: a pending refund succeeds or fails, a succeeded one comes back from the bank. */
  change(refundId: string, plan: RefundPlan): BookAnswer<BookRefund>;
}

const reasons = ['duplicate', 'fraudulent', 'requested_by_customer'];
const moves: Readonly<Record<RefundState, readonly RefundState[]>> = {
  pending: ['requires_action', 'succeeded', 'failed'],
  requires_action: ['pending', 'succeeded', 'failed', 'canceled'],
  succeeded: ['failed'],
  failed: [],
  canceled: [],
};

export function bookRefunds(context: BookContext): BookRefunds {
  const { state, random, note } = context;

  const ofPayment = (paymentIntentId: string): readonly BookRefund[] =>
    [...state.refunds.values()].filter((refund) => refund.payment_intent === paymentIntentId);
  const recount = (charge: BookCharge): void => {
    charge.amount_refunded = ofPayment(charge.payment_intent)
      .filter(({ status }) => status !== 'failed' && status !== 'canceled')
      .reduce((sum, refund) => sum + refund.amount, 0);
    charge.refunded = charge.amount_refunded === charge.amount;
  };
  const enter = (refund: BookRefund, { status, reason }: RefundPlan): void => {
    refund.status = status;
    delete refund.failure_reason;
    delete refund.pending_reason;
    refund.next_action = null;
    if (status === 'failed') refund.failure_reason = reason ?? 'unknown';
    if (status === 'pending') refund.pending_reason = reason ?? 'processing';
    if (status === 'requires_action') {
      refund.next_action = { display_details: { expires_at: secondsNow(context) + accountDays * 24 * 3600 } };
    }
  };

  return {
    ofPayment,
    find(refundId) {
      const refund = state.refunds.get(refundId);
      return refund ? accepted(refund) : missing('refund', refundId);
    },
    make(request) {
      if (request.reason !== undefined && !reasons.includes(request.reason)) {
        return invalid('reason', `Invalid reason: must be one of ${reasons.join(', ')}`);
      }
      const { amount: asked } = request;
      if (asked !== undefined && (!Number.isSafeInteger(asked) || asked < 1)) {
        return invalid('amount', 'This value must be greater than or equal to 1.');
      }
      const intent = state.intents.get(request.paymentIntentId);
      if (!intent) return missing('payment_intent', request.paymentIntentId);
      const charge = state.charges.get(intent.latest_charge ?? '');
      if (!charge?.paid) {
        return bookRefusal({
          code: 'payment_intent_unexpected_state',
          message: `This PaymentIntent (${intent.id}) does not have a successful charge to refund.`,
        });
      }
      if (charge.disputed) {
        return bookRefusal({ code: 'charge_disputed', message: `Charge ${charge.id} has been charged back.` });
      }
      const left = charge.amount - charge.amount_refunded;
      if (left === 0) {
        return bookRefusal({
          code: 'charge_already_refunded',
          message: `Charge ${charge.id} has already been refunded.`,
        });
      }
      const amount = asked ?? left;
      if (amount > left) {
        return bookRefusal({
          param: 'amount',
          message: `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`,
        });
      }
      const needsAccount = charge.payment_method_details.type === 'konbini';
      const plan = state.refundPlans.shift() ?? { status: needsAccount ? 'requires_action' : 'succeeded' };
      const refund: BookRefund = {
        id: `re_${random.hex(12)}`,
        object: 'refund',
        charge: charge.id,
        payment_intent: intent.id,
        amount,
        currency: charge.currency,
        created: secondsNow(context),
        metadata: request.metadata,
        reason: request.reason ?? null,
        status: 'pending',
      };
      enter(refund, plan);
      state.refunds.set(refund.id, refund);
      recount(charge);
      note('refund.created', refund);
      note('charge.refunded', charge);
      if (refund.status === 'failed') note('refund.failed', refund);
      return accepted(refund);
    },
    change(refundId, plan) {
      const refund = state.refunds.get(refundId);
      if (!refund) return missing('refund', refundId);
      if (!moves[refund.status].includes(plan.status)) {
        return bookRefusal({ message: `Refund ${refundId} is ${refund.status} and cannot become ${plan.status}.` });
      }
      enter(refund, plan);
      const charge = state.charges.get(refund.charge);
      if (charge) recount(charge);
      note('refund.updated', refund);
      if (plan.status === 'failed') note('refund.failed', refund);
      return accepted(refund);
    },
  };
}
