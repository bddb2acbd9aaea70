/**
 * A payment provider inside the test: on virtual time, with calls that can get lost before or after they took effect,
 * and with a memory of idempotency keys that can be taken away. It keeps the rules that matter: a session lives half an
 * hour at least, a complete one cannot be expired, refunds never exceed the charge.
 */
import { AppError } from '../../src/systems/reservations/app-error.ts';
import type {
  CreateRefundAnswer,
  PaymentEvent,
  PaymentPort,
  PaymentSession,
  ProviderDispute,
  ProviderRefund,
} from '../../src/systems/reservations/payment-port.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Asked before and after each call; a `lost` call throws as a connection would. */
export type CallFault = (call: string, when: 'before' | 'after') => boolean;

export interface ChargeRecord {
  readonly sessionId: string;
  readonly paymentIntentId: string;
  readonly amount: number;
  readonly chargedAtMs: number;
}

export interface PaymentDouble extends PaymentPort {
  /** Every call as it came in, with its idempotency key. */
  readonly calls: { readonly call: string; readonly key?: string; readonly id?: string; readonly atMs: number }[];
  /** Events not yet delivered, oldest first. */
  readonly events: PaymentEvent[];
  readonly charges: ChargeRecord[];
  readonly sessions: Map<string, Mutable<PaymentSession>>;
  readonly refunds: Mutable<ProviderRefund>[];
  /** The customer pays by card. False: the session cannot be paid any more. */
  pay(sessionId: string, options?: { readonly amount?: number; readonly currency?: string }): boolean;
  /** The customer chooses the convenience store. */
  chooseVoucher(sessionId: string, forMs: number): boolean;
  payVoucher(sessionId: string): boolean;
  lapseVoucher(sessionId: string): boolean;
  /** Sessions past their end expire by themselves. */
  tick(): void;
  /** What becomes of refunds from now on. */
  refundPlan: 'succeeded' | 'pending' | 'requires_action' | 'failed' | 'refused';
  /** A pending refund comes to an end. */
  endRefund(refundId: string, status: 'succeeded' | 'failed'): void;
  /** A person refunds at the provider. */
  refundOutside(paymentIntentId: string, amount: number): void;
  dispute(paymentIntentId: string): ProviderDispute;
  closeDispute(disputeId: string, status: 'won' | 'lost'): void;
  isDisputed(paymentIntentId: string): boolean;
  /** A day has passed: keys are forgotten. */
  forgetKeys(): void;
  fault: CallFault | undefined;
}

const minute = 60_000;

export function paymentDouble(nowMs: () => number): PaymentDouble {
  const sessions = new Map<string, Mutable<PaymentSession>>();
  const refunds: Mutable<ProviderRefund>[] = [];
  const disputes: Mutable<ProviderDispute>[] = [];
  const charges: ChargeRecord[] = [];
  const events: PaymentEvent[] = [];
  const calls: PaymentDouble['calls'] = [];
  const keys = new Map<string, unknown>();
  let count = 0;
  const id = (kind: string): string => `${kind}_${++count}`;

  const emit = (type: string, subject: PaymentEvent['subject']): void => {
    events.push({ id: id('evt'), type, createdAtMs: nowMs(), livemode: false, subject });
  };
  const emitSession = (type: string, { id: sessionId, reservationId }: PaymentSession): void =>
    emit(type, { kind: 'session', sessionId, ...(reservationId !== undefined && { reservationId }) });

  const call = async <T>(name: string, about: { key?: string; id?: string }, act: () => T): Promise<T> => {
    // Every call is asynchronous, as a real one is.
    await Promise.resolve();
    calls.push({ call: name, atMs: nowMs(), ...about });
    if (double.fault?.(name, 'before')) throw lost(name);
    const { key } = about;
    const memory = key === undefined ? undefined : `${name} ${key}`;
    const result = memory !== undefined && keys.has(memory) ? (keys.get(memory) as T) : act();
    if (memory !== undefined) keys.set(memory, structuredClone(result));
    if (double.fault?.(name, 'after')) throw lost(name);
    return structuredClone(result);
  };

  const capture = (session: Mutable<PaymentSession>, amount: number, currency: string): void => {
    session.status = 'complete';
    session.paymentStatus = 'paid';
    session.amount = amount;
    session.currency = currency;
    session.chargedAtMs = nowMs();
    session.paymentIntentId ??= id('pi');
    if (session.payableUntilMs !== undefined) session.paidLater = true;
    delete session.payableUntilMs;
    delete session.url;
    charges.push({
      sessionId: session.id,
      paymentIntentId: session.paymentIntentId,
      amount,
      chargedAtMs: session.chargedAtMs,
    });
  };
  const given = (paymentIntentId: string): number =>
    refunds
      .filter((refund) => refund.paymentIntentId === paymentIntentId)
      .filter(({ status }) => status !== 'failed' && status !== 'canceled')
      .reduce((sum, { amount }) => sum + amount, 0);
  const chargeOf = (paymentIntentId: string): ChargeRecord => {
    const charge = charges.find((one) => one.paymentIntentId === paymentIntentId);
    if (!charge) throw new AppError(`no charge ${paymentIntentId}`, { code: 'PROVIDER_REFUSED' });
    return charge;
  };
  const emitRefund = (refund: ProviderRefund): void =>
    emit('refund.updated', { kind: 'refund', refundId: refund.id, paymentIntentId: refund.paymentIntentId });

  const double: PaymentDouble = {
    name: 'double',
    livemode: false,
    minimumSessionMs: 30 * minute,
    calls,
    events,
    charges,
    sessions,
    refunds,
    refundPlan: 'succeeded',
    fault: undefined,
    createSession: (request) =>
      call('createSession', { key: request.idempotencyKey }, () => {
        if (request.expiresAtMs < nowMs() + 30 * minute) {
          throw new AppError('expires_at must be at least 30 minutes from now', { code: 'PROVIDER_REFUSED' });
        }
        const sessionId = id('cs');
        const session: Mutable<PaymentSession> = {
          id: sessionId,
          url: `http://127.0.0.1/pay/${sessionId}`,
          status: 'open',
          paymentStatus: 'unpaid',
          amount: request.amount,
          currency: request.currency,
          livemode: false,
          createdAtMs: nowMs(),
          expiresAtMs: request.expiresAtMs,
          reservationId: request.reservationId,
        };
        sessions.set(sessionId, session);
        return session;
      }),
    getSession: (sessionId) => call('getSession', { id: sessionId }, () => sessions.get(sessionId)),
    expireSession: ({ sessionId, idempotencyKey }) =>
      call('expireSession', { key: idempotencyKey, id: sessionId }, () => {
        const session = sessions.get(sessionId);
        if (!session) throw new AppError('no such session', { code: 'PROVIDER_REFUSED' });
        if (session.status === 'open') {
          session.status = 'expired';
          delete session.url;
          emitSession('checkout.session.expired', session);
        }
        return session;
      }),
    listSessions: ({ sinceMs, reservationId }) =>
      call('listSessions', {}, () =>
        [...sessions.values()].filter(
          (session) =>
            session.createdAtMs >= sinceMs && (reservationId === undefined || session.reservationId === reservationId),
        ),
      ),
    createRefund: (request) =>
      call('createRefund', { key: request.idempotencyKey, id: request.paymentIntentId }, (): CreateRefundAnswer => {
        const charge = chargeOf(request.paymentIntentId);
        const open = disputes.some((d) => d.paymentIntentId === charge.paymentIntentId && d.status !== 'won');
        if (open) return { kind: 'disputed' };
        const left = charge.amount - given(charge.paymentIntentId);
        if (left === 0) return { kind: 'already-refunded' };
        if (request.amount > left) return { kind: 'refused', code: 'amount_too_large', message: `${left} left` };
        if (double.refundPlan === 'refused') return { kind: 'refused', code: 'insufficient_funds', message: 'no' };
        const refund: Mutable<ProviderRefund> = {
          id: id('re'),
          paymentIntentId: charge.paymentIntentId,
          amount: request.amount,
          currency: request.currency,
          status: double.refundPlan,
          createdAtMs: nowMs(),
          ledgerId: request.ledgerId,
        };
        refunds.push(refund);
        emitRefund(refund);
        return { kind: 'made', refund };
      }),
    listRefunds: (paymentIntentId) =>
      call('listRefunds', { id: paymentIntentId }, () =>
        refunds.filter((refund) => refund.paymentIntentId === paymentIntentId),
      ),
    listDisputes: (paymentIntentId) =>
      call('listDisputes', { id: paymentIntentId }, () =>
        disputes.filter((dispute) => dispute.paymentIntentId === paymentIntentId),
      ),
    async verifyWebhook({ rawBody, signature }) {
      if (signature !== 'signed') throw new AppError('bad signature', { code: 'WEBHOOK_INVALID' });
      return JSON.parse(rawBody) as PaymentEvent;
    },
    pay(sessionId, options = {}) {
      const session = sessions.get(sessionId);
      if (session?.status !== 'open') return false;
      capture(session, options.amount ?? session.amount, options.currency ?? session.currency);
      emitSession('checkout.session.completed', session);
      return true;
    },
    chooseVoucher(sessionId, forMs) {
      const session = sessions.get(sessionId);
      if (session?.status !== 'open') return false;
      session.status = 'complete';
      session.payableUntilMs = nowMs() + forMs;
      session.paymentIntentId = id('pi');
      delete session.url;
      emitSession('checkout.session.completed', session);
      return true;
    },
    payVoucher(sessionId) {
      const session = sessions.get(sessionId);
      if (session?.status !== 'complete' || session.paymentStatus === 'paid' || session.paymentFailed) return false;
      capture(session, session.amount, session.currency);
      emitSession('checkout.session.async_payment_succeeded', session);
      return true;
    },
    lapseVoucher(sessionId) {
      const session = sessions.get(sessionId);
      if (session?.status !== 'complete' || session.paymentStatus === 'paid' || session.paymentFailed) return false;
      session.paymentFailed = true;
      emitSession('checkout.session.async_payment_failed', session);
      return true;
    },
    tick() {
      for (const session of sessions.values()) {
        if (session.status === 'open' && session.expiresAtMs <= nowMs()) {
          session.status = 'expired';
          delete session.url;
          emitSession('checkout.session.expired', session);
        }
        if (session.payableUntilMs !== undefined && session.payableUntilMs <= nowMs()) double.lapseVoucher(session.id);
      }
    },
    endRefund(refundId, status) {
      const refund = refunds.find((one) => one.id === refundId);
      if (!refund || refund.status === status) return;
      refund.status = status;
      emitRefund(refund);
    },
    refundOutside(paymentIntentId, amount) {
      const charge = chargeOf(paymentIntentId);
      if (given(paymentIntentId) + amount > charge.amount) return;
      const refund: ProviderRefund = {
        id: id('re'),
        paymentIntentId,
        amount,
        currency: 'jpy',
        status: 'succeeded',
        createdAtMs: nowMs(),
      };
      refunds.push(refund);
      emitRefund(refund);
    },
    dispute(paymentIntentId) {
      const { amount } = chargeOf(paymentIntentId);
      const dispute: Mutable<ProviderDispute> = {
        id: id('dp'),
        paymentIntentId,
        amount,
        status: 'open',
        createdAtMs: nowMs(),
      };
      disputes.push(dispute);
      emit('charge.dispute.created', { kind: 'dispute', disputeId: dispute.id, paymentIntentId });
      return dispute;
    },
    closeDispute(disputeId, status) {
      const dispute = disputes.find((one) => one.id === disputeId);
      if (!dispute) return;
      dispute.status = status;
      emit('charge.dispute.closed', { kind: 'dispute', disputeId, paymentIntentId: dispute.paymentIntentId });
    },
    isDisputed: (paymentIntentId) => disputes.some((dispute) => dispute.paymentIntentId === paymentIntentId),
    forgetKeys: () => keys.clear(),
  };
  return double;
}

function lost(call: string): AppError {
  return new AppError(`${call}: the connection was lost`, { code: 'PROVIDER_UNAVAILABLE', retryable: true });
}
