/**
 * The payment provider's side of a history: what customers, banks and people do there, what goes wrong on the way to it,
 * and its books. Two of them: a double inside the test, and the loopback fake that the real SDK talks to.
 */
import type { PaymentPort } from '../../src/systems/reservations/payment-port.ts';
import type { ChargeRecord, PaymentDouble } from './payment-double.ts';

/** What becomes of one call of ours. */
export type CallFate = 'fine' | 'drop-before' | 'drop-after' | 'conflict' | 'error' | 'error-after';

export interface CallHooks {
  /** Our process is about to call, or has the answer; it may die here. */
  step(when: 'before' | 'after'): void;
  fate(): CallFate;
}

export interface SideSession {
  readonly id: string;
  readonly status: 'open' | 'complete' | 'expired';
  readonly reservationId: number | undefined;
  /** The customer chose to pay later. */
  readonly hasVoucher: boolean;
}

export interface SideRefund {
  readonly id: string;
  readonly paymentIntentId: string;
  readonly amount: number;
  readonly status: string;
  /** Ours carry the number of their row. */
  readonly ledgerId?: number;
}

export type RefundFate = 'succeeded' | 'pending' | 'requires_action' | 'failed' | 'refused';

export interface PaymentSide {
  readonly port: PaymentPort;
  /** Set before the history begins; undefined: nothing goes wrong. */
  hooks: CallHooks | undefined;
  /** What can become of a call that gets lost, as often as named. */
  readonly fates: readonly CallFate[];
  /** What becomes of every call while the provider cannot be reached. */
  readonly outageFate: CallFate;
  /** What becomes of refunds from now on. */
  refundFate: RefundFate;
  /** Events that are not delivered yet. */
  takeEvents(): readonly SideEvent[];
  /** Oldest first. */
  sessions(): readonly SideSession[];
  charges(): readonly ChargeRecord[];
  refunds(): readonly SideRefund[];
  pay(sessionId: string, amount?: number): void;
  chooseVoucher(sessionId: string, forMs: number): void;
  payVoucher(sessionId: string): void;
  endRefund(refundId: string, status: 'succeeded' | 'failed'): void;
  refundOutside(paymentIntentId: string, amount: number): void;
  dispute(paymentIntentId: string, outcome: 'won' | 'lost' | undefined): void;
  isDisputed(paymentIntentId: string): boolean;
  /** The provider forgets idempotency keys. */
  forgetKeys(): void;
  /** Time does what it does by itself. */
  tick(): void;
  /** Requests that came over the wire. */
  requestCount(): number;
  /** What is wrong with the requests it saw. */
  checkRequests(): readonly string[];
  close(): Promise<void>;
}

export interface SideEvent {
  readonly id: string;
  /** As it arrives now. */
  pack(): { readonly rawBody: string; readonly signature: string };
}

/** The double as a side: no network, so that many histories can be told. */
export function doubleSide(double: PaymentDouble): PaymentSide {
  const vouchers = new Set<string>();
  let fate: CallFate = 'fine';
  const side: PaymentSide = {
    port: double,
    hooks: undefined,
    fates: ['drop-before', 'drop-after', 'conflict', 'error', 'error-after'],
    outageFate: 'drop-before',
    get refundFate() {
      return double.refundPlan;
    },
    set refundFate(plan) {
      double.refundPlan = plan;
    },
    takeEvents: () =>
      double.events.splice(0).map((event) => ({
        id: event.id,
        pack: () => ({ rawBody: JSON.stringify(event), signature: 'signed' }),
      })),
    sessions: () =>
      [...double.sessions.values()].map(({ id, status, reservationId }) => ({
        id,
        status,
        reservationId,
        hasVoucher: vouchers.has(id),
      })),
    charges: () => double.charges,
    refunds: () => double.refunds,
    pay: (sessionId, amount) => void double.pay(sessionId, amount === undefined ? {} : { amount }),
    chooseVoucher(sessionId, forMs) {
      if (double.chooseVoucher(sessionId, forMs)) vouchers.add(sessionId);
    },
    payVoucher: (sessionId) => void double.payVoucher(sessionId),
    endRefund: double.endRefund,
    refundOutside: double.refundOutside,
    dispute(paymentIntentId, outcome) {
      const { id } = double.dispute(paymentIntentId);
      if (outcome) double.closeDispute(id, outcome);
    },
    isDisputed: double.isDisputed,
    forgetKeys: double.forgetKeys,
    tick: double.tick,
    requestCount: () => 0,
    checkRequests: () =>
      double.calls
        .filter(({ call, key }) => /^(create|expire)/.test(call) && !key)
        .map(({ call }) => `${call} without a key`),
    close: async () => undefined,
  };
  double.fault = (_, when) => {
    side.hooks?.step(when);
    if (when === 'before') fate = side.hooks?.fate() ?? 'fine';
    // An error says no more than a broken line: whether it acted is unknown.
    return when === 'before'
      ? fate === 'drop-before' || fate === 'conflict' || fate === 'error'
      : fate === 'drop-after' || fate === 'error-after';
  };
  return side;
}
