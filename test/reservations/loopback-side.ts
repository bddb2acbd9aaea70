/** The stateful fake on loopback, and the real `stripe` SDK that talks to it, as the side of a history. */
import type { Clock, Random } from '../../src/core/ports.ts';
import type { PaymentPort } from '../../src/systems/reservations/payment-port.ts';
import { stripePayments } from '../../src/systems/reservations/providers/stripe/stripe-payments.ts';
import { startFakePayments } from '../../src/testing/providers/fake-payments.ts';
import type { ChargeRecord } from './payment-double.ts';
import type { PaymentSide, SideSession } from './payment-side.ts';

/** What the webhook endpoint is registered for; the provider sends nothing else. */
const registered = /^(checkout\.session|refund|charge\.dispute)\./;

export async function loopbackSide(clock: Clock, random: Random): Promise<PaymentSide> {
  const fake = await startFakePayments({ clock, random });
  const { book } = fake;
  const { state } = book;
  // The SDK's own repeats would wait on the real clock; ours come with the effects.
  const real = await stripePayments({ ...fake.stripeOptions, retries: 0 });
  const vouchers = new Set<string>();
  const charges: ChargeRecord[] = [];
  let told = 0;

  /** One call of ours, with what goes wrong on its way. */
  const call = async <T>(isPost: boolean, work: () => Promise<T>): Promise<T> => {
    side.hooks?.step('before');
    const fate = side.hooks?.fate() ?? 'fine';
    if (fate !== 'fine') {
      // A lost connection is tried again at once by the SDK, under the same key; a second loss is ours.
      const times = fate.startsWith('drop') && random.fraction() < 0.5 ? 2 : 1;
      fake.faults.add({ point: fate, times, ...(isPost && { method: 'POST' as const }) });
    }
    try {
      return await work();
    } finally {
      fake.faults.clear();
      side.hooks?.step('after');
    }
  };
  const port: PaymentPort = {
    ...real,
    createSession: (request) => call(true, () => real.createSession(request)),
    getSession: (id) => call(false, () => real.getSession(id)),
    expireSession: (request) => call(true, () => real.expireSession(request)),
    listSessions: (request) => call(false, () => real.listSessions(request)),
    createRefund: (request) =>
      call(true, async () => {
        const { refundFate } = side;
        if (refundFate !== 'succeeded') book.planRefund({ status: refundFate === 'refused' ? 'failed' : refundFate });
        try {
          return await real.createRefund(request);
        } finally {
          state.refundPlans.length = 0;
        }
      }),
    listRefunds: (id) => call(false, () => real.listRefunds(id)),
    listDisputes: (id) => call(false, () => real.listDisputes(id)),
  };
  const recordCharge = (sessionId: string): void => {
    const paymentIntentId = state.sessions.get(sessionId)?.payment_intent ?? '';
    const charge = state.charges.get(state.intents.get(paymentIntentId)?.latest_charge ?? '');
    if (!charge?.paid) throw new Error(`session ${sessionId} has no charge`);
    charges.push({ sessionId, paymentIntentId, amount: charge.amount, chargedAtMs: charge.created * 1000 });
  };

  const side: PaymentSide = {
    port,
    hooks: undefined,
    // The SDK sleeps half a second of real time after a lost connection: most of what goes wrong is an answer.
    fates: ['conflict', 'conflict', 'error', 'error-after', 'drop-before', 'drop-after'],
    outageFate: 'conflict',
    refundFate: 'succeeded',
    takeEvents() {
      const news = state.events.slice(told).filter(({ type }) => registered.test(type));
      told = state.events.length;
      return news.map((event) => ({ id: event.id, pack: () => fake.courier.pack(event) }));
    },
    sessions: () =>
      [...state.sessions.values()].map(
        ({ id, status, metadata }): SideSession => ({
          id,
          status,
          reservationId: Number(metadata?.reservationId),
          hasVoucher: vouchers.has(id),
        }),
      ),
    charges: () => charges,
    refunds: () =>
      [...state.refunds.values()].map(({ id, payment_intent, amount, status, metadata }) => ({
        id,
        paymentIntentId: payment_intent,
        amount,
        status,
        ...(metadata?.ledgerId !== undefined && { ledgerId: Number(metadata.ledgerId) }),
      })),
    pay(sessionId, amount) {
      if (book.sessions.pay(sessionId, amount === undefined ? {} : { amount }).ok) recordCharge(sessionId);
    },
    chooseVoucher(sessionId) {
      if (book.sessions.payLater(sessionId).ok) vouchers.add(sessionId);
    },
    payVoucher(sessionId) {
      if (book.sessions.settleVoucher(sessionId, 'paid').ok) recordCharge(sessionId);
    },
    endRefund: (refundId, status) => void book.refunds.change(refundId, { status }),
    refundOutside: (paymentIntentId, amount) => void book.refunds.make({ paymentIntentId, amount, metadata: {} }),
    dispute(paymentIntentId, outcome) {
      const opened = book.disputes.open(paymentIntentId);
      if (opened.ok && outcome) book.disputes.close(opened.value.id, outcome);
    },
    isDisputed: (paymentIntentId) => book.disputes.ofPayment(paymentIntentId).length > 0,
    // It forgets by its own clock, after a day.
    forgetKeys: () => undefined,
    tick: () => book.sessions.tick(),
    requestCount: () => fake.requests.length,
    checkRequests: () =>
      fake.requests
        .filter(({ method, idempotencyKey = '' }) => method === 'POST' && !/^kannuki:\w+:/.test(idempotencyKey))
        .map(({ path, idempotencyKey }) => `POST ${path} under the key ${idempotencyKey}`),
    close: () => fake.close(),
  };
  return side;
}
