/** Webhooks of the fake, checked by the real SDK and by what we add to it. */
import { Stripe } from 'stripe';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../../../../testing/fake-clock.ts';
import { type FakePayments, startFakePayments } from '../../../../testing/providers/fake-payments.ts';
import type { PaymentPort } from '../../payment-port.ts';
import { type StripePaymentsOptions, stripePayments } from './stripe-payments.ts';

const day = 24 * 3_600_000;
let clock: FakeClock;
let fake: FakePayments;
let payments: PaymentPort;

const open = (options: Partial<StripePaymentsOptions> = {}): Promise<PaymentPort> =>
  stripePayments({ ...fake.stripeOptions, ...options });

beforeEach(async () => {
  clock = fakeClock();
  fake = await startFakePayments({ clock });
  payments = await open();
});
afterEach(() => fake.close());

/** Pays a session of ours; returns the payment's id. */
function pay(): string {
  const metadata = { kannuki: 'kannuki', reservationId: '41' };
  const successUrl = 'http://shop.example/done';
  const opened = fake.book.sessions.open({ amount: 8800, currency: 'jpy', title: 'Film', metadata, successUrl });
  const paid = opened.ok ? fake.book.sessions.pay(opened.value.id) : opened;
  return (paid.ok && paid.value.payment_intent) || '';
}

function paid(): object {
  pay();
  return fake.book.state.events.at(-1) ?? {};
}

const verify = (rawBody: string, signature: string | undefined, port = payments) =>
  port.verifyWebhook({ rawBody, signature, nowMs: clock.wallMs() });

it('are signed as the SDK itself signs', async () => {
  const { rawBody, signature } = fake.courier.pack(paid());
  const [secret = ''] = fake.stripeOptions.webhookSecrets;
  const timestamp = Math.floor(clock.wallMs() / 1000);
  const theirs = new Stripe('sk_test_x').webhooks.generateTestHeaderString({ payload: rawBody, secret, timestamp });
  expect(signature).toBe(theirs);
});

it('are believed when signed, by any of two secrets', async () => {
  const event = paid();
  const { rawBody, signature } = fake.courier.pack(event);
  expect(await verify(rawBody, signature)).toMatchObject({
    type: 'checkout.session.completed',
    subject: { kind: 'session', reservationId: 41 },
  });
  const rotating = await open({ webhookSecrets: ['whsec_next', ...fake.stripeOptions.webhookSecrets] });
  await expect(verify(rawBody, signature, rotating)).resolves.toMatchObject({ livemode: false });
  const other = await open({ webhookSecrets: ['whsec_next'] });
  await expect(verify(rawBody, signature, other)).rejects.toMatchObject({ code: 'WEBHOOK_INVALID' });
});

it.each([
  ['just old enough', -300_000, true],
  ['too old', -301_000, false],
  ['just ahead enough', 300_000, true],
  ['too far ahead', 301_000, false],
  ['a day ahead', day, false],
])('%s', async (_, skewMs, isBelieved) => {
  const { rawBody, signature } = fake.courier.pack(paid(), clock.wallMs() + skewMs);
  const verdict = await verify(rawBody, signature).then(
    () => true,
    (error: { code: string }) => (error.code === 'WEBHOOK_INVALID' ? false : error),
  );
  expect(verdict).toBe(isBelieved);
});

it('are refused when anything is off', async () => {
  const { rawBody, signature } = fake.courier.pack(paid());
  const pack = (body: object | string) => fake.courier.pack(body as object);
  const flawed: readonly [string, string, string | undefined][] = [
    ['unsigned', rawBody, undefined],
    ['empty header', rawBody, ''],
    ['no time', rawBody, signature.replace(/t=\d+,/, '')],
    ['two times', rawBody, `t=1,${signature}`],
    ['another scheme', rawBody, signature.replace('v1=', 'v0=')],
    ['changed body', rawBody.replace('8800', '1'), signature],
    ['written again', JSON.stringify(JSON.parse(rawBody), null, 1), signature],
    ['no event', pack({ hello: 1 }).rawBody, pack({ hello: 1 }).signature],
    ['a hostile id', pack({ id: '../x' }).rawBody, pack({ id: '../x' }).signature],
    ['huge', 'x'.repeat(2_000_000), signature],
  ];
  for (const [what, body, header] of flawed) {
    await expect(verify(body, header), what).rejects.toMatchObject({ code: 'WEBHOOK_INVALID' });
  }
});

it('name what they are about', async () => {
  const intent = pay();
  fake.book.planRefund({ status: 'pending' });
  fake.book.refunds.make({ paymentIntentId: intent, metadata: {} });
  const [made] = await payments.listRefunds(intent);
  fake.book.refunds.change(made?.id ?? '', { status: 'failed' });
  fake.book.disputes.open(intent);
  const subjects = new Map<string, unknown>();
  for (const event of fake.book.state.events) {
    const { rawBody, signature } = fake.courier.pack(event);
    const { type, subject } = await verify(rawBody, signature);
    subjects.set(type, subject);
  }
  const refundSubject = { kind: 'refund', refundId: made?.id, paymentIntentId: intent };
  expect(subjects.get('refund.created')).toEqual(refundSubject);
  expect(subjects.get('refund.updated')).toEqual(refundSubject);
  expect(subjects.get('refund.failed')).toEqual(refundSubject);
  expect(subjects.get('charge.dispute.created')).toMatchObject({ kind: 'dispute', paymentIntentId: intent });
  expect(subjects.get('payment_intent.succeeded')).toEqual({ kind: 'other' });
  const other = await open({ namespace: 'another-shop' });
  const completed = fake.book.state.events.find(({ type }) => type === 'checkout.session.completed') ?? {};
  const { rawBody, signature } = fake.courier.pack(completed);
  expect((await verify(rawBody, signature, other)).subject).toEqual({ kind: 'other' });
});
