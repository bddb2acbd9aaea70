/**
 * The address that the payment provider calls, over real HTTP, with the real SDK checking signatures: everything that is
 * not from the provider gets a 4xx and changes nothing; what is from it is stored before it is answered.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SqlDatabase } from '../../src/core/ports.ts';
import { shotstackRender } from '../../src/systems/reservations/providers/shotstack/shotstack-render.ts';
import { stripePayments } from '../../src/systems/reservations/providers/stripe/stripe-payments.ts';
import { type WebhookEndpoint, webhookEndpoint } from '../../src/systems/reservations/providers/webhook-endpoint.ts';
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts';
import { type FakePayments, startFakePayments } from '../../src/testing/providers/fake-payments.ts';
import { type FakeRender, type FakeRendering, startFakeRender } from '../../src/testing/providers/fake-render.ts';
import { type LoopbackServer, loopbackServer } from '../../src/testing/providers/loopback-server.ts';
import { type BookingWorld, type Customer, minute } from './booking-world.ts';
import { engineSuite } from './engine-suite.ts';

export const webhookIntake = engineSuite('What arrives at the webhook', (engine) => {
  let clock: FakeClock;
  let fake: FakePayments;
  let renderer: FakeRender;
  let world: BookingWorld;
  let server: LoopbackServer;
  let endpoint: WebhookEndpoint;
  let customer: Customer;
  let storeFails: boolean;
  let errors: unknown[];

  beforeEach(async () => {
    storeFails = false;
    errors = [];
    clock = fakeClock({ startWallMs: 1_803_859_200_000 });
    fake = await startFakePayments({ clock });
    const wrap = (database: SqlDatabase): SqlDatabase => ({
      ...database,
      query: (statement) =>
        storeFails ? Promise.reject(new Error('the database is away')) : database.query(statement),
    });
    const payments = await stripePayments(fake.stripeOptions);
    renderer = await startFakeRender();
    const { apiKey, baseUrl } = renderer;
    const render = shotstackRender({ apiKey, baseUrl, callbackUrl: 'http://shop.example/renders' });
    world = await engine.open({ payments, render, clock, wrap });
    endpoint = webhookEndpoint({ reservations: world.reservations, onError: (error) => errors.push(error) });
    server = await loopbackServer(async ({ method, path, headers, body, query }) => {
      const request = new Request(`http://shop.example${path}?${query}`, {
        method,
        headers,
        ...(method === 'POST' ? { body } : {}),
      });
      const response = path === '/renders' ? await endpoint.renders(request) : await endpoint.payments(request);
      return { kind: 'answer', status: response.status, body: await response.json() };
    });
    customer = await world.addCustomer();
  });

  afterEach(async () => {
    await server.close();
    await fake.close();
    await renderer.close();
  });

  /** Everything that a webhook could change. */
  async function snapshot(): Promise<unknown> {
    const tables = ['reservations', 'payments', 'refunds', 'stripe_events', 'notifications', 'race_log', 'alerts'];
    return Promise.all(
      [...tables, 'reservation_journal'].map((table) => world.rows(`select * from @${table} order by 1`)),
    );
  }

  async function paidEvent(): Promise<object> {
    const id = await world.hold(customer);
    const { sessionId } = await world.reservations.startCheckout(id, { actor: customer.actor });
    fake.book.sessions.pay(sessionId);
    return fake.book.state.events.at(-1) ?? {};
  }

  const noRender: FakeRendering = { id: '', edit: {}, status: 'failed' };

  interface Sent {
    readonly rawBody: string;
    readonly signature?: string | undefined;
    readonly contentType?: string;
    readonly method?: string;
  }

  async function send({
    rawBody,
    signature,
    contentType = 'application/json',
    method = 'POST',
  }: Sent): Promise<number> {
    const response = await fetch(`${server.url}/payments`, {
      method,
      headers: { 'content-type': contentType, ...(signature === undefined ? {} : { 'stripe-signature': signature }) },
      ...(method === 'POST' ? { body: rawBody } : {}),
    });
    await response.arrayBuffer();
    return response.status;
  }

  it('refuses whatever is not from the provider, and nothing changes', async () => {
    const event = await paidEvent();
    const good = fake.courier.pack(event);
    const forged = { ...event, id: 'evt_forged' };
    const huge = fake.courier.pack({ ...event, padding: 'x'.repeat(300_000) });
    const flawed: Readonly<Record<string, { readonly sent: Sent; readonly status: number }>> = {
      unsigned: { sent: { rawBody: good.rawBody }, status: 400 },
      'bad signature': { sent: { ...good, signature: good.signature.replace(/v1=.{8}/, 'v1=00000000') }, status: 400 },
      'signature of another body': {
        sent: { rawBody: JSON.stringify(forged), signature: good.signature },
        status: 400,
      },
      'old timestamp': { sent: fake.courier.pack(event, clock.wallMs() - 301_000), status: 400 },
      'future timestamp': { sent: fake.courier.pack(event, clock.wallMs() + 301_000), status: 400 },
      'huge body': { sent: huge, status: 413 },
      'wrong content type': { sent: { ...good, contentType: 'text/plain' }, status: 415 },
      form: { sent: { ...good, contentType: 'application/x-www-form-urlencoded' }, status: 415 },
      GET: { sent: { ...good, method: 'GET' }, status: 405 },
      'no event': { sent: fake.courier.pack({ hello: 'world' }), status: 400 },
      'empty body': { sent: { rawBody: '', signature: good.signature }, status: 400 },
    };
    const before = await snapshot();
    for (const [what, { sent, status }] of Object.entries(flawed))
      expect([what, await send(sent)]).toEqual([what, status]);
    // Without a length in its header the body is read, but no further than it may.
    const headers = { 'content-type': 'application/json', 'stripe-signature': huge.signature };
    const endless = new Request('http://shop.example/', { method: 'POST', headers, body: huge.rawBody });
    expect((await endpoint.payments(endless)).status).toBe(413);
    expect(await world.reservations.workEvents()).toEqual({ done: 0, parked: 0 });
    expect(await snapshot()).toEqual(before);
    expect(errors).toEqual([]);

    // The same intake takes the real one: the refusals above were about the flaw, not about the event.
    expect(await send(good)).toBe(200);
    expect(await snapshot()).not.toEqual(before);
  });

  it('takes a replay, and does nothing twice', async () => {
    const packed = fake.courier.pack(await paidEvent());
    expect(await Promise.all([send(packed), send(packed), send(packed)])).toEqual([200, 200, 200]);
    await world.drain();
    const before = await snapshot();
    expect(await send(packed)).toBe(200);
    await world.drain();
    expect(await snapshot()).toEqual(before);
    expect(await world.rows('select id from @stripe_events')).toHaveLength(1);
    expect(world.mails.map(({ template }) => template)).toEqual(['reservation-confirmed']);
  });

  it('a captured one, sent again after the tolerance, is refused', async () => {
    const packed = fake.courier.pack(await paidEvent());
    expect(await send(packed)).toBe(200);
    await world.drain();
    const before = await snapshot();
    await clock.advance(6 * minute);
    expect(await send(packed)).toBe(400);
    expect(await snapshot()).toEqual(before);
  });

  it('says 503 when it could not store, and the sender’s repeat is taken', async () => {
    const packed = fake.courier.pack(await paidEvent());
    storeFails = true;
    expect(await send(packed)).toBe(503);
    expect(errors).toMatchObject([{ message: 'the database is away' }]);
    storeFails = false;
    expect(await send(packed)).toBe(200);
    await world.drain();
    expect(world.mails).toHaveLength(1);
  });

  it('believes no render callback without the secret of its attempt, and none that the status denies', async () => {
    await world.rows(`update @videos set source = '{"timeline":{},"output":{}}'`);
    await send(fake.courier.pack(await paidEvent()));
    await world.drain();
    const [{ id, edit } = noRender] = renderer.renders;
    const { search } = new URL(String(edit.callback));
    const call = async (query: string, body: object | string, contentType = 'application/json'): Promise<number> => {
      const response = await fetch(`${server.url}/renders${query}`, {
        method: 'POST',
        headers: { 'content-type': contentType },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      await response.arrayBuffer();
      return response.status;
    };
    const done = { type: 'edit', action: 'render', id, status: 'done', url: 'https://evil.example/film.mp4' };
    const before = await snapshot();
    expect(await call('', done)).toBe(400);
    expect(await call(search.replace(/token=\w{4}/, 'token=0000'), done)).toBe(400);
    expect(await call(search, { ...done, id: 'another-render' })).toBe(400);
    expect(await call(search, 'no JSON')).toBe(400);
    expect(await call(search, done, 'text/plain')).toBe(415);
    // The right secret and a lie: the status is fetched, and says that it is still working.
    expect(await call(search, done)).toBe(200);
    expect(await snapshot()).toEqual(before);
    expect(await world.rows('select status from @videos')).toEqual([{ status: 'processing' }]);

    renderer.set(id, 'done');
    expect(await call(search, done)).toBe(200);
    expect(await world.rows('select status, render_url as url from @videos')).toEqual([
      { status: 'ready', url: expect.stringContaining(`films.invalid/${id}`) },
    ]);
  });
});
