/** The real SDK against the stateful fake: every fault point, and the requests as the provider saw them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type {
  CreateRefundRequest,
  CreateSessionRequest,
  PaymentPort,
} from '../../src/systems/reservations/payment-port.ts';
import {
  type StripePaymentsOptions,
  stripePayments,
} from '../../src/systems/reservations/providers/stripe/stripe-payments.ts';
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts';
import { type FakePayments, startFakePayments } from '../../src/testing/providers/fake-payments.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
let clock: FakeClock;
let fake: FakePayments;
let payments: PaymentPort;

const open = (options: Partial<StripePaymentsOptions> = {}): Promise<PaymentPort> =>
  stripePayments({ ...fake.stripeOptions, timeoutMs: 1_000, ...options });

beforeEach(async () => {
  clock = fakeClock();
  fake = await startFakePayments({ clock, random: seededRandom(1) });
  payments = await open();
});

afterEach(async () => {
  // The rule of the house: no POST without a key of ours. The SDK's own random keys begin with its name.
  for (const { method, idempotencyKey } of fake.requests) {
    if (method === 'POST') expect(idempotencyKey).toMatch(/^kannuki:(session|expire|refund):/);
    else expect(idempotencyKey).toBeUndefined();
  }
  await fake.close();
});

const session = (overrides: Partial<CreateSessionRequest> = {}): CreateSessionRequest => ({
  reservationId: 41,
  amount: 8800,
  currency: 'jpy',
  title: '光の川',
  customerEmail: 'hana@example.jp',
  locale: 'ja',
  successUrl: 'http://shop.example/done?session={CHECKOUT_SESSION_ID}',
  cancelUrl: 'http://shop.example/back',
  expiresAtMs: clock.wallMs() + 35 * minute,
  delayedMethods: false,
  idempotencyKey: 'session:41:1',
  ...overrides,
});

const refund = (paymentIntentId: string, idempotencyKey = 'refund:41:late:1'): CreateRefundRequest => ({
  paymentIntentId,
  amount: 8800,
  currency: 'jpy',
  ledgerId: 9,
  reservationId: 41,
  customerEmail: 'hana@example.jp',
  idempotencyKey,
});

async function payment(): Promise<string> {
  const { id } = await payments.createSession(session());
  fake.book.sessions.pay(id);
  return (await payments.getSession(id))?.paymentIntentId ?? '';
}

const posts = (path: string) => fake.requests.filter((seen) => seen.method === 'POST' && seen.path.endsWith(path));

describe('sessions', () => {
  it('are asked for with the key, our ids, the amount and cards only', async () => {
    const made = await payments.createSession(session());
    expect(made).toMatchObject({
      status: 'open',
      paymentStatus: 'unpaid',
      reservationId: 41,
      amount: 8800,
      livemode: false,
    });
    expect(made.url).toContain(made.id);
    expect(made.expiresAtMs).toBe(clock.wallMs() + 35 * minute);
    expect(fake.requests).toHaveLength(1);
    const [seen] = fake.requests;
    expect(seen).toMatchObject({ path: '/v1/checkout/sessions', idempotencyKey: 'kannuki:session:41:1' });
    expect(seen?.apiVersion).toMatch(/^\d{4}-\d\d-\d\d/);
    expect(seen?.params).toMatchObject({
      mode: 'payment',
      client_reference_id: '41',
      customer_email: 'hana@example.jp',
      'line_items[0][price_data][unit_amount]': '8800',
      'line_items[0][price_data][currency]': 'jpy',
      'metadata[kannuki]': 'kannuki',
      'metadata[reservationId]': '41',
      'payment_intent_data[metadata][reservationId]': '41',
      'allowed_payment_method_types[0]': 'card',
    });
    expect(Object.keys(seen?.params ?? {}).join()).not.toMatch(/idempotency|konbini/i);
  });

  it('may not end sooner than the provider allows', async () => {
    const tooSoon = payments.createSession(session({ expiresAtMs: clock.wallMs() + 30 * minute - 1_000 }));
    await expect(tooSoon).rejects.toMatchObject({ code: 'PROVIDER_REFUSED', retryable: false });
    // A refusal of the request itself is not remembered: the same key works once the request is right.
    await expect(payments.createSession(session())).resolves.toMatchObject({ status: 'open' });
  });

  it('end by themselves, by the provider’s clock', async () => {
    const { id } = await payments.createSession(session());
    await clock.advance(35 * minute - 1_000);
    expect(await payments.getSession(id)).toMatchObject({ status: 'open' });
    await clock.advance(1_000);
    const ended = await payments.getSession(id);
    expect(ended).toMatchObject({ status: 'expired', paymentStatus: 'unpaid' });
    expect(ended).not.toHaveProperty('url');
  });

  it('say when the money was taken', async () => {
    const { id } = await payments.createSession(session());
    await clock.advance(14 * minute);
    fake.book.sessions.pay(id);
    const chargedAtMs = clock.wallMs();
    await clock.advance(5 * minute);
    expect(await payments.getSession(id)).toMatchObject({ status: 'complete', paymentStatus: 'paid', chargedAtMs });
  });

  it('can be complete and unpaid, then paid or dead', async () => {
    const later = session({ delayedMethods: true });
    const { id } = await payments.createSession(later);
    expect(fake.requests[0]?.params).toMatchObject({
      'allowed_payment_method_types[1]': 'konbini',
      'payment_method_options[konbini][expires_after_days]': '3',
    });
    fake.book.sessions.payLater(id);
    expect(await payments.getSession(id)).toMatchObject({
      status: 'complete',
      paymentStatus: 'unpaid',
      payableUntilMs: clock.wallMs() + 3 * day,
    });
    fake.book.sessions.settleVoucher(id, 'paid');
    expect(await payments.getSession(id)).toMatchObject({ paymentStatus: 'paid', chargedAtMs: clock.wallMs() });

    const other = await payments.createSession(session({ delayedMethods: true, idempotencyKey: 'session:41:2' }));
    fake.book.sessions.payLater(other.id);
    await clock.advance(3 * day);
    expect(await payments.getSession(other.id)).toMatchObject({ paymentStatus: 'unpaid', paymentFailed: true });
  });

  it('are unknown when they are', async () => {
    expect(await payments.getSession('cs_test_none')).toBeUndefined();
  });

  it('are expired, and one that the customer paid first is shown as paid', async () => {
    const { id } = await payments.createSession(session());
    const expired = await payments.expireSession({ sessionId: id, idempotencyKey: 'expire:41:1' });
    expect(expired).toMatchObject({ status: 'expired', paymentStatus: 'unpaid' });
    expect(posts('/expire')).toMatchObject([{ idempotencyKey: 'kannuki:expire:41:1', status: 200 }]);
    expect(Object.keys(posts('/expire')[0]?.params ?? {}).filter((name) => !name.startsWith('expand'))).toEqual([]);

    const paid = await payments.createSession(session({ idempotencyKey: 'session:41:2' }));
    fake.book.sessions.pay(paid.id);
    expect(await payments.expireSession({ sessionId: paid.id, idempotencyKey: 'expire:41:2' })).toMatchObject({
      status: 'complete',
      paymentStatus: 'paid',
      chargedAtMs: clock.wallMs(),
    });
  });

  it('are listed: ours only, oldest first, page by page', async () => {
    fake.book.sessions.open({ amount: 1, currency: 'jpy', title: '', metadata: {}, successUrl: 'http://x.example/' });
    const made: string[] = [];
    for (let number = 1; number <= 103; number++) {
      const metadata = { kannuki: 'kannuki', reservationId: String(number) };
      const opened = fake.book.sessions.open({
        amount: 1,
        currency: 'jpy',
        title: '',
        metadata,
        successUrl: 'http://x.example/',
      });
      if (opened.ok) made.push(opened.value.id);
    }
    fake.book.sessions.pay(made[4] ?? '');
    const listed = await payments.listSessions({ sinceMs: clock.wallMs() });
    expect(listed.map(({ id }) => id)).toEqual(made);
    expect(listed[4]).toMatchObject({ paymentStatus: 'paid', chargedAtMs: clock.wallMs() });
    expect(await payments.listSessions({ sinceMs: clock.wallMs(), reservationId: 7 })).toMatchObject([{ id: made[6] }]);
    expect(await payments.listSessions({ sinceMs: clock.wallMs() + 1_000 })).toEqual([]);
  });
});

describe('refunds', () => {
  it('carry the key, the reason and our ids', async () => {
    const intent = await payment();
    expect(await payments.createRefund(refund(intent))).toMatchObject({
      kind: 'made',
      refund: { status: 'succeeded', amount: 8800, currency: 'jpy', ledgerId: 9, paymentIntentId: intent },
    });
    expect(posts('/refunds')).toMatchObject([
      {
        idempotencyKey: 'kannuki:refund:41:late:1',
        params: {
          payment_intent: intent,
          amount: '8800',
          reason: 'requested_by_customer',
          'metadata[ledgerId]': '9',
          'metadata[reservationId]': '41',
        },
      },
    ]);
  });

  it('of cash name the customer’s address, those of cards do not', async () => {
    const { id } = await payments.createSession(session({ delayedMethods: true }));
    fake.book.sessions.payLater(id);
    fake.book.sessions.settleVoucher(id, 'paid');
    const cash = (await payments.getSession(id))?.paymentIntentId ?? '';
    expect(await payments.createRefund(refund(cash, 'refund:1:x:1'))).toMatchObject({
      refund: { status: 'requires_action', actionUntilMs: expect.any(Number) },
    });
    const other = await payments.createSession(session({ idempotencyKey: 'session:41:2' }));
    fake.book.sessions.pay(other.id);
    const card = (await payments.getSession(other.id))?.paymentIntentId ?? '';
    expect(await payments.createRefund(refund(card, 'refund:2:x:1'))).toMatchObject({
      refund: { status: 'succeeded' },
    });
    expect(posts('/refunds').map(({ params }) => params.instructions_email)).toEqual(['hana@example.jp', undefined]);
  });

  it.each(['pending', 'requires_action', 'failed', 'canceled'] as const)('can be %s', async (status) => {
    const intent = await payment();
    fake.book.planRefund({ status, reason: 'insufficient_funds' });
    const answer = await payments.createRefund(refund(intent));
    expect(answer).toMatchObject({ kind: 'made', refund: { status } });
    expect(await payments.listRefunds(intent)).toMatchObject([{ status, ledgerId: 9 }]);
    if (status === 'pending' || status === 'failed') {
      expect(answer).toMatchObject({ refund: { reason: 'insufficient_funds' } });
    }
    if (status === 'requires_action') {
      expect((await payments.listRefunds(intent))[0]?.actionUntilMs).toBeGreaterThan(clock.wallMs());
    }
  });

  it('fail later, are listed as failed, and can be made again under the next key', async () => {
    const intent = await payment();
    fake.book.planRefund({ status: 'pending' });
    const first = await payments.createRefund(refund(intent));
    fake.book.refunds.change(first.kind === 'made' ? first.refund.id : '', { status: 'failed', reason: 'declined' });
    // The key remembers what it said then; the list knows what is true now.
    expect(await payments.createRefund(refund(intent))).toMatchObject({ refund: { status: 'pending' } });
    expect(await payments.listRefunds(intent)).toMatchObject([{ status: 'failed', reason: 'declined' }]);
    expect(await payments.createRefund(refund(intent, 'refund:41:late:2'))).toMatchObject({ kind: 'made' });
    expect((await payments.listRefunds(intent)).map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  });

  it('are never made twice, even when the provider has forgotten the key', async () => {
    const intent = await payment();
    await payments.createRefund(refund(intent));
    expect(await payments.createRefund(refund(intent))).toMatchObject({ kind: 'made' });
    expect(posts('/refunds').map(({ isReplay }) => isReplay)).toEqual([false, true]);
    await clock.advance(day);
    expect(await payments.createRefund(refund(intent))).toEqual({ kind: 'already-refunded' });
    expect(await payments.listRefunds(intent)).toHaveLength(1);
  });

  it('say no to a disputed payment, and to more than was paid', async () => {
    const intent = await payment();
    expect(await payments.createRefund({ ...refund(intent, 'refund:41:x:1'), amount: 8801 })).toMatchObject({
      kind: 'refused',
      code: 'invalid_request_error',
    });
    const dispute = fake.book.disputes.open(intent);
    expect(await payments.createRefund(refund(intent))).toEqual({ kind: 'disputed' });
    expect(await payments.listDisputes(intent)).toMatchObject([
      { status: 'open', amount: 8800, paymentIntentId: intent },
    ]);
    fake.book.disputes.close(dispute.ok ? dispute.value.id : '', 'lost');
    expect(await payments.listDisputes(intent)).toMatchObject([{ status: 'lost' }]);
    expect(await payments.createRefund(refund(intent, 'refund:41:late:2'))).toEqual({ kind: 'disputed' });
  });

  it('of a payment that does not exist are refused; with a wrong key of the account nothing is decided', async () => {
    expect(await payments.createRefund(refund('pi_none'))).toMatchObject({ kind: 'refused', code: 'resource_missing' });
    const intent = await payment();
    payments = await open({ secretKey: 'rk_test_other' });
    await expect(payments.createRefund(refund(intent))).rejects.toMatchObject({ code: 'PROVIDER_REFUSED' });
    expect(fake.book.state.refunds.size).toBe(0);
  });
});

describe('keys', () => {
  it('belong to one request', async () => {
    await payments.createSession(session());
    await expect(payments.createSession(session({ amount: 1 }))).rejects.toMatchObject({
      code: 'PROVIDER_REFUSED',
      providerCode: 'idempotency_error',
    });
    expect(fake.book.state.sessions.size).toBe(1);
  });

  it('in use are told to wait', async () => {
    payments = await open({ retries: 0 });
    fake.faults.add({ point: 'hang-before', path: '/refunds' });
    const intent = await payment();
    const first = payments.createRefund(refund(intent)).catch((error: unknown) => error);
    await expect
      .poll(() => payments.createRefund(refund(intent)).catch((error: Error) => error))
      .toMatchObject({
        code: 'PROVIDER_UNAVAILABLE',
        retryable: true,
        message: expect.stringContaining('idempotency_key_in_use'),
      });
    expect(await first).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect(fake.book.state.refunds.size).toBe(0);
    // The first client is long gone; its request goes on all the same.
    fake.faults.releaseHung();
    await expect.poll(() => fake.book.state.refunds.size).toBe(1);
    expect(await payments.createRefund(refund(intent))).toMatchObject({ kind: 'made' });
    expect(fake.book.state.refunds.size).toBe(1);
  });
});

describe('faults', () => {
  const acts = {
    'open a session': {
      path: '/sessions',
      prepare: async () => '',
      run: () => payments.createSession(session()),
      count: () => fake.book.state.sessions.size,
    },
    'expire a session': {
      path: '/expire',
      prepare: async () => (await payments.createSession(session())).id,
      run: (id: string) => payments.expireSession({ sessionId: id, idempotencyKey: 'expire:41:1' }),
      count: () => fake.book.state.events.filter(({ type }) => type === 'checkout.session.expired').length,
    },
    refund: {
      path: '/refunds',
      prepare: payment,
      run: (intent: string) => payments.createRefund(refund(intent)),
      count: () => fake.book.state.refunds.size,
    },
  };
  const cases = Object.entries(acts);

  it.each(cases)('%s: the SDK repeats one lost connection by itself, under the same key', async (_, act) => {
    const subject = await act.prepare();
    fake.faults.add({ point: 'drop-before', path: act.path });
    await act.run(subject);
    fake.faults.add({ point: 'drop-after', path: act.path });
    await act.run(subject);
    expect(act.count()).toBe(1);
    const seen = posts(act.path);
    expect(new Set(seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(seen.length).toBe(4);
  });

  it.each(cases)('%s: lost before it was done: unknown, nothing done, the same again does it', async (_, act) => {
    const subject = await act.prepare();
    fake.faults.add({ point: 'drop-before', path: act.path, times: 2 });
    await expect(act.run(subject)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE', retryable: true });
    expect(act.count()).toBe(0);
    await act.run(subject);
    expect(act.count()).toBe(1);
  });

  it.each(cases)('%s: lost after it was done: unknown, done, the same again does nothing', async (_, act) => {
    const subject = await act.prepare();
    fake.faults.add({ point: 'drop-after', path: act.path, times: 2 });
    await expect(act.run(subject)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE', retryable: true });
    expect(act.count()).toBe(1);
    await act.run(subject);
    expect(act.count()).toBe(1);
    expect(posts(act.path).at(-1)).toMatchObject({ isReplay: true, status: 200 });
  });

  it.each(cases)('%s: no answer in time: unknown, and the same again finds it done', async (_, act) => {
    payments = await open({ retries: 0 });
    const subject = await act.prepare();
    fake.faults.add({ point: 'hang-after', path: act.path });
    await expect(act.run(subject)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE', retryable: true });
    await act.run(subject);
    expect(act.count()).toBe(1);
  });

  it.each(cases)('%s: 409 is "later"', async (_, act) => {
    const subject = await act.prepare();
    fake.faults.add({ point: 'conflict', path: act.path, times: 2 });
    await expect(act.run(subject)).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE', retryable: true });
    expect(act.count()).toBe(0);
    await act.run(subject);
    expect(act.count()).toBe(1);
  });

  it.each(['error', 'error-after'] as const)(
    'refund: a remembered %s needs a look, then another key',
    async (point) => {
      const intent = await payment();
      fake.faults.add({ point, path: '/refunds' });
      await expect(payments.createRefund(refund(intent))).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
      expect(await payments.createRefund(refund(intent))).toMatchObject({
        kind: 'refused',
        code: 'remembered_failure',
      });
      const known = await payments.listRefunds(intent);
      expect(known).toHaveLength(point === 'error' ? 0 : 1);
      expect(await payments.createRefund(refund(intent, 'refund:41:late:2'))).toMatchObject({
        kind: point === 'error' ? 'made' : 'already-refunded',
      });
      expect(await payments.listRefunds(intent)).toHaveLength(1);
    },
  );

  it.each(['error', 'error-after'] as const)('expire: a remembered %s is got around by itself', async (point) => {
    const { id } = await payments.createSession(session());
    const expire = () => payments.expireSession({ sessionId: id, idempotencyKey: 'expire:41:1' });
    fake.faults.add({ point, path: '/expire' });
    await expect(expire()).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect(await expire()).toMatchObject({ status: 'expired' });
  });

  it.each(['error', 'error-after'] as const)('session: a remembered %s is got around by itself', async (point) => {
    await payments.createSession(session({ reservationId: 40, idempotencyKey: 'session:40:1' }));
    fake.faults.add({ point, path: '/sessions' });
    await expect(payments.createSession(session())).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    expect(await payments.createSession(session())).toMatchObject({ status: 'open', reservationId: 41 });
    expect(fake.book.state.sessions.size).toBe(2);
  });

  it('reading says that it could not', async () => {
    for (const read of [
      () => payments.getSession('cs_test_1'),
      () => payments.listSessions({ sinceMs: 0 }),
      () => payments.listRefunds('pi_1'),
      () => payments.listDisputes('pi_1'),
    ]) {
      fake.faults.add({ point: 'drop-before', method: 'GET', times: 2 });
      await expect(read()).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE', retryable: true });
    }
  });

  it('a wrong key of the account is refused for good', async () => {
    payments = await open({ secretKey: 'rk_test_other' });
    await expect(payments.createSession(session())).rejects.toMatchObject({
      code: 'PROVIDER_REFUSED',
      retryable: false,
    });
    expect(fake.book.state.sessions.size).toBe(0);
  });
});

it.each([
  [{ secretKey: 'pk_test_1' }, /secretKey/],
  [{ webhookSecrets: [] }, /1 to 5/],
  [{ webhookSecrets: ['whsec_1\n'] }, /spaces/],
  [{ toleranceMs: 0 }, /toleranceMs/],
  [{ timeoutMs: 0 }, /timeoutMs/],
  [{ voucherDays: 61 }, /voucherDays/],
  [{ namespace: 'a b' }, /namespace/],
] as const)('refuses the options %j', async (options, message) => {
  await expect(open(options)).rejects.toThrow(message);
});
