/** The fake as any HTTP client sees it: what the provider's documentation says of keys, fields and pages. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../fake-clock.ts';
import { type FakePayments, startFakePayments } from './fake-payments.ts';

let clock: FakeClock;
let fake: FakePayments;
beforeEach(async () => {
  clock = fakeClock();
  fake = await startFakePayments({ clock });
});
afterEach(() => fake.close());

interface Reply {
  readonly status: number;
  readonly replayed: boolean;
  readonly body: { readonly id?: string; readonly error?: { readonly type: string; readonly code?: string } };
}

async function call(method: string, path: string, fields: Record<string, string> = {}, key?: string): Promise<Reply> {
  const response = await fetch(`http://${fake.host}:${fake.port}${path}`, {
    method,
    headers: { authorization: 'Bearer sk_test_fake', ...(key === undefined ? {} : { 'idempotency-key': key }) },
    ...(method === 'POST' ? { body: new URLSearchParams(fields) } : {}),
  });
  const replayed = response.headers.get('idempotent-replayed') === 'true';
  return { status: response.status, replayed, body: (await response.json()) as Reply['body'] };
}

const session = (): Record<string, string> => ({
  mode: 'payment',
  success_url: 'http://shop.example/done',
  'line_items[0][quantity]': '2',
  'line_items[0][price_data][currency]': 'jpy',
  'line_items[0][price_data][unit_amount]': '4400',
  expires_at: String(clock.wallMs() / 1000 + 1_800),
});

it('replays what it said under a key for a day, then forgets it', async () => {
  const fields = session();
  const first = await call('POST', '/v1/checkout/sessions', fields, 'k');
  expect(first).toMatchObject({ status: 200, replayed: false, body: { amount_total: 8800, status: 'open' } });
  fake.book.sessions.pay(first.body.id ?? '');
  const again = await call('POST', '/v1/checkout/sessions', fields, 'k');
  expect(again).toMatchObject({ status: 200, replayed: true, body: { status: 'open' } });
  expect(again.body).toEqual(first.body);
  await clock.advance(24 * 3_600_000);
  expect(await call('POST', '/v1/checkout/sessions', session(), 'k')).toMatchObject({ status: 200, replayed: false });
  expect(fake.book.state.sessions.size).toBe(2);
});

it('refuses a key with another request, at the same and at another address', async () => {
  await call('POST', '/v1/checkout/sessions', session(), 'k');
  const other = { status: 400, body: { error: { type: 'idempotency_error' } } };
  expect(await call('POST', '/v1/checkout/sessions', { ...session(), locale: 'ja' }, 'k')).toMatchObject(other);
  expect(await call('POST', '/v1/refunds', session(), 'k')).toMatchObject(other);
});

it('without a key it does everything again', async () => {
  await call('POST', '/v1/checkout/sessions', session());
  await call('POST', '/v1/checkout/sessions', session());
  expect(fake.book.state.sessions.size).toBe(2);
  expect(fake.requests.map(({ idempotencyKey }) => idempotencyKey)).toEqual([undefined, undefined]);
});

it('remembers a refusal of the act, not one of the request', async () => {
  const refused = await call('POST', '/v1/refunds', { payment_intent: 'pi_none' }, 'a');
  expect(refused).toMatchObject({ status: 404, replayed: false });
  expect(await call('POST', '/v1/refunds', { payment_intent: 'pi_none' }, 'a')).toMatchObject({ replayed: true });
  const wrong = { ...session(), expires_at: '1' };
  expect(await call('POST', '/v1/checkout/sessions', wrong, 'b')).toMatchObject({ status: 400, replayed: false });
  expect(await call('POST', '/v1/checkout/sessions', session(), 'b')).toMatchObject({ status: 200, replayed: false });
});

it.each([
  ['/v1/checkout/sessions', 'idempotencyKey'],
  ['/v1/checkout/sessions', 'payment_method_types[0]'],
  ['/v1/refunds', 'idempotencyKey'],
])('%s does not know the field %s', async (path, field) => {
  const reply = await call('POST', path, { ...session(), [field]: 'x' }, 'k');
  expect(reply).toMatchObject({ status: 400, body: { error: { param: expect.any(String) } } });
  expect(fake.book.state.sessions.size).toBe(0);
});

it('knows its own addresses and its own customers only', async () => {
  expect((await call('GET', '/v1/customers')).status).toBe(404);
  expect((await call('POST', '/v1/checkout/sessions/cs_none/expire', {}, 'k')).status).toBe(404);
  const stranger = await fetch(`http://${fake.host}:${fake.port}/v1/refunds`);
  expect(stranger.status).toBe(401);
});

it('lists newest first, a page at a time', async () => {
  const made: string[] = [];
  for (let number = 0; number < 3; number++) {
    made.unshift((await call('POST', '/v1/checkout/sessions', session())).body.id ?? '');
  }
  const first = (await call('GET', '/v1/checkout/sessions?limit=2')).body;
  expect(first).toMatchObject({ data: [{ id: made[0] }, { id: made[1] }], has_more: true });
  const second = (await call('GET', `/v1/checkout/sessions?limit=2&starting_after=${made[1]}`)).body;
  expect(second).toMatchObject({ data: [{ id: made[2] }], has_more: false });
});

it('delivers its events by itself, signed, when told where', async () => {
  const receiver = await startFakePayments();
  await fake.close();
  fake = await startFakePayments({ clock, webhookUrl: `http://${receiver.host}:${receiver.port}/hooks` });
  await call('POST', '/v1/checkout/sessions', session());
  const [opened] = fake.book.state.sessions.keys();
  fake.book.sessions.expire(opened ?? '');
  await clock.advance(0);
  const delivered = { type: 'checkout.session.expired', status: 401 };
  await expect.poll(() => fake.courier.deliveries).toMatchObject([delivered]);
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/hooks']);
  await receiver.close();
});
