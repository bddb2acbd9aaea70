import { beforeEach, describe, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../../../../testing/fake-clock.ts';
import { seededRandom } from '../../../../testing/seeded-random.ts';
import type { CreateSessionRequest, PaymentEvent } from '../../payment-port.ts';
import { type SandboxPayments, sandboxPayments } from './sandbox-payments.ts';

const minute = 60_000;
let clock: FakeClock;
let payments: SandboxPayments;
let received: PaymentEvent[];
let answer: () => number;

beforeEach(() => {
  clock = fakeClock();
  received = [];
  answer = () => 200;
  payments = sandboxPayments({
    baseUrl: 'http://shop.example/sandbox',
    webhookUrl: 'http://shop.example/webhooks',
    clock,
    random: seededRandom(7),
    async send(request) {
      const status = answer();
      if (status === 0) throw new Error('connection lost');
      const event = await payments.verifyWebhook({
        rawBody: await request.text(),
        signature: request.headers.get('stripe-signature') ?? undefined,
        nowMs: clock.wallMs(),
      });
      if (status < 300) received.push(event);
      return new Response(null, { status });
    },
  });
});

function request(overrides: Partial<CreateSessionRequest> = {}): CreateSessionRequest {
  return {
    reservationId: 41,
    amount: 8800,
    currency: 'jpy',
    title: 'Light river',
    customerEmail: 'hana@example.jp',
    locale: 'en',
    successUrl: 'http://shop.example/done?session={CHECKOUT_SESSION_ID}',
    cancelUrl: 'http://shop.example/back',
    expiresAtMs: clock.wallMs() + 35 * minute,
    delayedMethods: true,
    idempotencyKey: 'session:41:1',
    ...overrides,
  };
}

const press = (url: string, button: string): Promise<Response> =>
  payments.handle(new Request(url, { method: 'POST', body: new URLSearchParams({ button }) }));

const refundOf = (paymentIntentId: string, idempotencyKey = 'refund:41:late:1') => ({
  paymentIntentId,
  amount: 8800,
  currency: 'jpy',
  ledgerId: 9,
  reservationId: 41,
  customerEmail: 'hana@example.jp',
  idempotencyKey,
});

describe('the payment page', () => {
  it('is paid by its button and leads on', async () => {
    const { url = '', id } = await payments.createSession(request());
    const page = await payments.handle(new Request(url));
    const html = await page.text();
    expect(page.status).toBe(200);
    expect(html).toContain('Pay ¥8,800');
    expect(html).toContain('No real money is moved');
    expect(html).not.toMatch(/<script|https?:\/\/(?!shop\.example)/);

    await clock.advance(2 * minute);
    const reply = await press(url, 'pay');
    expect(reply.status).toBe(303);
    expect(reply.headers.get('location')).toBe(`http://shop.example/done?session=${id}`);
    expect(await payments.getSession(id)).toMatchObject({
      status: 'complete',
      paymentStatus: 'paid',
      chargedAtMs: clock.wallMs(),
      reservationId: 41,
    });
    expect(await (await payments.handle(new Request(url))).text()).toContain('is paid');
    // A second press changes nothing.
    await press(url, 'pay');
    expect(payments.book.state.charges.size).toBe(1);
  });

  it('speaks Japanese', async () => {
    const { url = '' } = await payments.createSession(request({ locale: 'ja' }));
    const html = await (await payments.handle(new Request(url))).text();
    expect(html).toContain('8,800円を支払う');
    expect(html).toContain('<html lang="ja">');
    expect(await (await payments.handle(new Request(`${url}?lang=en`))).text()).toContain('Pay ¥8,800');
  });

  it('declines, and lets the customer try again', async () => {
    const { url = '', id } = await payments.createSession(request());
    expect(await (await press(url, 'fail')).text()).toContain('The card was declined');
    expect(await payments.getSession(id)).toMatchObject({ status: 'open', paymentStatus: 'unpaid' });
    await press(url, 'pay');
    expect(await payments.getSession(id)).toMatchObject({ status: 'complete', paymentStatus: 'paid' });
  });

  it('is paid later, or never', async () => {
    const first = await payments.createSession(request());
    await press(first.url ?? '', 'later');
    const waiting = await payments.getSession(first.id);
    expect(waiting).toMatchObject({ status: 'complete', paymentStatus: 'unpaid' });
    expect(waiting?.payableUntilMs).toBe(clock.wallMs() + 3 * 24 * 60 * minute);
    expect(waiting).not.toHaveProperty('chargedAtMs');
    await clock.advance(60 * minute);
    await press(first.url ?? '', 'voucher-pay');
    expect(await payments.getSession(first.id)).toMatchObject({ paymentStatus: 'paid', chargedAtMs: clock.wallMs() });

    const second = await payments.createSession(
      request({ reservationId: 42, idempotencyKey: 'session:42:1', expiresAtMs: clock.wallMs() + 35 * minute }),
    );
    await press(second.url ?? '', 'later');
    await clock.advance(3 * 24 * 60 * minute);
    expect(await payments.getSession(second.id)).toMatchObject({ paymentStatus: 'unpaid', paymentFailed: true });
  });

  it('offers no delayed payment unless asked', async () => {
    const { url = '', id } = await payments.createSession(request({ delayedMethods: false }));
    expect(await (await payments.handle(new Request(url))).text()).not.toContain('convenience store');
    await press(url, 'later');
    expect(await payments.getSession(id)).toMatchObject({ status: 'open' });
  });

  it('is closed by time and by the shop, and a paid one stays paid', async () => {
    const { url = '', id } = await payments.createSession(request());
    await clock.advance(35 * minute);
    expect(await (await payments.handle(new Request(url))).text()).toContain('This payment page is closed');
    await press(url, 'pay');
    expect(await payments.getSession(id)).toMatchObject({ status: 'expired', paymentStatus: 'unpaid' });

    const other = await payments.createSession(
      request({ idempotencyKey: 'session:41:2', expiresAtMs: clock.wallMs() + 35 * minute }),
    );
    await press(other.url ?? '', 'pay');
    expect(await payments.expireSession({ sessionId: other.id, idempotencyKey: 'expire:2' })).toMatchObject({
      status: 'complete',
      paymentStatus: 'paid',
    });
  });

  it('shows a title as text, and knows only its own pages', async () => {
    const { url = '' } = await payments.createSession(request({ title: '<script>alert(1)</script>' }));
    const page = await payments.handle(new Request(url));
    expect(await page.text()).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect((await payments.handle(new Request('http://shop.example/sandbox/checkout/cs_test_00'))).status).toBe(404);
    expect((await payments.handle(new Request('http://shop.example/sandbox'))).status).toBe(404);
    expect((await payments.handle(new Request(url, { method: 'DELETE' }))).status).toBe(405);
    expect((await press(url, 'rob')).status).toBe(400);
  });
});

describe('keys', () => {
  it('act once and answer alike', async () => {
    const asked = request();
    const first = await payments.createSession(asked);
    await press(first.url ?? '', 'pay');
    // The provider repeats what it said then, not what is true now.
    expect(await payments.createSession(asked)).toEqual(first);
    expect(payments.book.state.sessions.size).toBe(1);
    await expect(payments.createSession({ ...asked, amount: 1 })).rejects.toMatchObject({
      code: 'PROVIDER_REFUSED',
      providerCode: 'idempotency_error',
    });
  });

  it('are forgotten after a day; the whole payment still goes back once', async () => {
    const { url = '', id } = await payments.createSession(request());
    await press(url, 'pay');
    const { paymentIntentId = '' } = (await payments.getSession(id)) ?? {};
    expect(await payments.createRefund(refundOf(paymentIntentId))).toMatchObject({
      kind: 'made',
      refund: { status: 'succeeded', amount: 8800, ledgerId: 9 },
    });
    expect(await payments.createRefund(refundOf(paymentIntentId))).toMatchObject({ kind: 'made' });
    await clock.advance(24 * 60 * minute);
    expect(await payments.createRefund(refundOf(paymentIntentId))).toEqual({ kind: 'already-refunded' });
    expect(await payments.listRefunds(paymentIntentId)).toHaveLength(1);
  });

  it('survive a lost answer', async () => {
    payments.failNext(1, 'after');
    await expect(payments.createSession(request())).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
      retryable: true,
    });
    payments.failNext(1, 'before');
    await expect(payments.createSession(request())).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
    await payments.createSession(request());
    expect(payments.book.state.sessions.size).toBe(1);
  });
});

describe('refunds and disputes', () => {
  it('fail, wait and need an account', async () => {
    const { url = '', id } = await payments.createSession(request());
    await press(url, 'pay');
    const { paymentIntentId = '' } = (await payments.getSession(id)) ?? {};
    payments.book.planRefund({ status: 'pending', reason: 'insufficient_funds' });
    const made = await payments.createRefund(refundOf(paymentIntentId));
    expect(made).toMatchObject({ kind: 'made', refund: { status: 'pending', reason: 'insufficient_funds' } });
    // What is pending counts as given.
    expect(await payments.createRefund(refundOf(paymentIntentId, 'other'))).toEqual({ kind: 'already-refunded' });
    const [pending] = await payments.listRefunds(paymentIntentId);
    payments.book.refunds.change(pending?.id ?? '', { status: 'failed', reason: 'expired_or_canceled_card' });
    expect(await payments.listRefunds(paymentIntentId)).toMatchObject([{ status: 'failed' }]);
    payments.book.planRefund({ status: 'requires_action' });
    const again = await payments.createRefund(refundOf(paymentIntentId, 'refund:41:late:2'));
    expect(again).toMatchObject({ kind: 'made', refund: { status: 'requires_action' } });
    expect(again.kind === 'made' && (again.refund.actionUntilMs ?? 0) > clock.wallMs()).toBe(true);
  });

  it('exclude each other while the dispute lasts', async () => {
    const { url = '', id } = await payments.createSession(request());
    await press(url, 'pay');
    const { paymentIntentId = '' } = (await payments.getSession(id)) ?? {};
    const dispute = payments.book.disputes.open(paymentIntentId);
    expect(await payments.createRefund(refundOf(paymentIntentId))).toEqual({ kind: 'disputed' });
    expect(await payments.listDisputes(paymentIntentId)).toMatchObject([{ status: 'open', amount: 8800 }]);
    payments.book.disputes.close(dispute.ok ? dispute.value.id : '', 'won');
    expect(await payments.createRefund(refundOf(paymentIntentId, 'refund:41:late:2'))).toMatchObject({ kind: 'made' });
  });
});

describe('webhooks', () => {
  const paySomething = async (): Promise<void> => {
    const { url = '' } = await payments.createSession(request());
    await press(url, 'pay');
  };

  it('arrive signed, and name their subject', async () => {
    await paySomething();
    await clock.advance(0);
    await payments.courier.settled();
    expect(received.map(({ type }) => type)).toEqual([
      'payment_intent.created',
      'charge.succeeded',
      'payment_intent.succeeded',
      'checkout.session.completed',
    ]);
    expect(received.at(-1)?.subject).toMatchObject({ kind: 'session', reservationId: 41 });
  });

  it('arrive late, doubled and in reverse when told to', async () => {
    payments.courier.configure({ delayMs: 5_000, copies: 2, order: 'reversed' });
    await paySomething();
    await clock.advance(4_999);
    expect(received).toEqual([]);
    await clock.advance(1);
    await payments.courier.settled();
    expect(received).toHaveLength(8);
    expect(received[0]?.type).toBe('checkout.session.completed');
    expect(new Set(received.map(({ id }) => id)).size).toBe(4);
  });

  it('never come when told to', async () => {
    payments.courier.configure({ isLost: true });
    await paySomething();
    await clock.advance(minute);
    expect(received).toEqual([]);
    expect(payments.book.state.events).toHaveLength(4);
  });

  it('come again until they are taken', async () => {
    let calls = 0;
    answer = () => [0, 500, 200][calls++] ?? 200;
    payments.book.sessions.open({
      amount: 1,
      currency: 'jpy',
      title: 'x',
      metadata: {},
      successUrl: 'http://shop.example/',
    });
    const [session] = payments.book.state.sessions.values();
    payments.book.sessions.expire(session?.id ?? '');
    await clock.advance(0);
    await clock.advance(1_000);
    await clock.advance(2_000);
    await payments.courier.settled();
    expect(payments.courier.deliveries.map(({ status }) => status)).toEqual([undefined, 500, 200]);
    expect(received).toHaveLength(1);
    // Not made by us: nobody's business.
    expect(received[0]?.subject).toEqual({ kind: 'other' });
  });

  it('are refused when forged, old or from the future', async () => {
    await paySomething();
    const event = payments.book.state.events.at(-1) ?? {};
    const verify = (rawBody: string, signature: string | undefined) =>
      payments.verifyWebhook({ rawBody, signature, nowMs: clock.wallMs() });
    const { rawBody, signature } = payments.courier.pack(event);
    await expect(verify(rawBody, signature)).resolves.toMatchObject({ type: 'checkout.session.completed' });
    const old = payments.courier.pack(event, clock.wallMs() - 301_000);
    const early = payments.courier.pack(event, clock.wallMs() + 301_000);
    const flawed: readonly [string, string | undefined][] = [
      [rawBody, undefined],
      [rawBody, 'v1=00'],
      [rawBody, `${signature},t=1`],
      [rawBody.replace('8800', '1'), signature],
      [old.rawBody, old.signature],
      [early.rawBody, early.signature],
      ['{}', payments.courier.pack({}).signature],
    ];
    for (const [body, header] of flawed) {
      await expect(verify(body, header), String(header)).rejects.toMatchObject({ code: 'WEBHOOK_INVALID' });
    }
  });
});
