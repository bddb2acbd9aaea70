/** Bookings as `serve` composes them, on PGlite: providers by the environment, and the addresses that they call. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import type { SqlDatabase } from '../core/ports.ts';
import { migrate } from '../engine/migrate.ts';
import { bookingMigrations, createServerApp, signInMigrations } from '../server/index.ts';
import { memoryStore } from '../stores/memory/index.ts';
import { pgliteDatabase, pgliteStore } from '../stores/pglite/index.ts';
import { createJobs, type Jobs, jobMigrations } from '../systems/jobs/index.ts';
import { reservationMigrations } from '../systems/reservations/index.ts';
import { signWebhook } from '../systems/reservations/providers/webhook-signature.ts';
import { messagesFor } from './messages.ts';
import { type OpenBooking, openBooking } from './open-booking.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
let database: SqlDatabase;
const opened: { readonly booking: OpenBooking; readonly jobs: Jobs }[] = [];

beforeAll(async () => {
  database = pgliteDatabase({ dir: 'memory' });
  const leases = pgliteStore({ database }).schema?.migrations ?? [];
  await migrate(database, [...leases, jobMigrations, reservationMigrations, signInMigrations, bookingMigrations]);
});
afterAll(async () => {
  for (const { booking, jobs } of opened) {
    booking.close();
    await jobs.close();
  }
  await database?.close();
});

async function open(env: Readonly<Record<string, string>>): Promise<OpenBooking> {
  const jobs = createJobs({ database });
  const booking = await openBooking(
    { env, messages: messagesFor({}) },
    { database, platform, logger: silent, jobs, channels: [], config: {}, publicUrl: 'http://127.0.0.1:1' },
  );
  opened.push({ booking, jobs });
  return booking;
}

describe('providers by the environment', () => {
  it.each([
    [{ STRIPE_SECRET_KEY: 'sk_test_1' }, 'STRIPE_SECRET_KEY is set, but STRIPE_WEBHOOK_SECRET is not'],
    [{ STRIPE_WEBHOOK_SECRET: 'whsec_1' }, 'STRIPE_WEBHOOK_SECRET is set, but STRIPE_SECRET_KEY is not'],
    [{ SMTP_URL: 'smtp://127.0.0.1:2525' }, 'SMTP_URL is set, but SMTP_FROM is not'],
    [{ SMTP_URL: 'mail.example.jp', SMTP_FROM: 'a@example.jp' }, 'SMTP_URL is not an address like smtp://'],
  ])('%o stops the start with one sentence', async (env, sentence) => {
    await expect(open(env)).rejects.toThrow(sentence);
  });

  it('are the real ones where they are configured, and sandboxes elsewhere', async () => {
    const { services } = await open({
      STRIPE_SECRET_KEY: 'sk_test_1',
      STRIPE_WEBHOOK_SECRET: 'whsec_old, whsec_new',
      SMTP_URL: 'smtp://127.0.0.1:2525',
      SMTP_FROM: 'Wall <wall@example.jp>',
    });
    expect(services.sandbox).toEqual({ render: expect.anything() });
  });
});

describe('the sandbox of payments', () => {
  it('is one, however many servers ask it', async () => {
    const [a, b] = [await open({}), await open({})];
    const [one, two] = [a.services.sandbox.payments, b.services.sandbox.payments];
    const request = {
      reservationId: 7,
      amount: 8800,
      currency: 'jpy',
      title: 'Film',
      customerEmail: 'hana@example.jp',
      locale: 'en',
      successUrl: 'http://127.0.0.1:1/',
      cancelUrl: 'http://127.0.0.1:1/',
      expiresAtMs: Date.now() + 40 * 60_000,
      delayedMethods: false,
      idempotencyKey: 'session:7',
    } as const;
    const made = await Promise.all([one?.createSession(request), two?.createSession(request)]);
    const id = made[0]?.id ?? '';
    expect(made[1]?.id).toBe(id);
    expect(await two?.press(id, 'pay')).toMatchObject({ ok: true });
    expect(await one?.getSession(id)).toMatchObject({ status: 'complete', paymentStatus: 'paid' });
    // A refusal is remembered, too: the key gives it again on the other server.
    const other = { ...request, amount: 1 };
    await expect(one?.createSession(other)).rejects.toThrow('belongs to another request');
    await expect(two?.createSession(other)).rejects.toThrow('belongs to another request');
    expect(await two?.showSessions(10)).toHaveLength(1);
  });
});

describe('POST /webhooks/stripe', () => {
  const secret = 'whsec_test';
  const body = (id: string): string =>
    JSON.stringify({
      id,
      object: 'event',
      type: 'checkout.session.completed',
      created: Math.floor(Date.now() / 1000),
      livemode: false,
      data: { object: { id: 'cs_1', object: 'checkout.session', metadata: { kannuki_reservation: '1' } } },
    });

  it('takes each event once; what is not signed, too old, from the future, too large or no JSON changes nothing', async () => {
    const booking = await open({ STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: secret });
    const app = createServerApp({ store: memoryStore(), tokens: [], systems: { booking: booking.services } });
    const send = (rawBody: string, atMs: number, type = 'application/json', by = secret): Promise<Response> =>
      app.fetch(
        new Request('http://test/webhooks/stripe', {
          method: 'POST',
          headers: { 'content-type': type, 'stripe-signature': signWebhook({ rawBody, secret: by, atMs }) },
          body: rawBody,
        }),
      );
    const count = async (): Promise<unknown> =>
      (await database.query({ text: `select count(*)::integer as n from "${database.schema}".stripe_events` })).rows[0];
    const now = Date.now();
    const refused = [
      await send(body('evt_old'), now - 400_000),
      await send(body('evt_future'), now + 400_000),
      await send(body('evt_forged'), now, 'application/json', 'whsec_other'),
      await send(body('evt_text'), now, 'text/plain'),
      await send(`${body('evt_large')}${' '.repeat(300_000)}`, now),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 415, 413]);
    expect(await count()).toEqual({ n: 0 });
    const taken = [await send(body('evt_1'), now), await send(body('evt_1'), now)];
    expect(taken.map(({ status }) => status)).toEqual([200, 200]);
    expect(await Promise.all(taken.map((answer) => answer.json()))).toMatchObject([
      { duplicate: false },
      { duplicate: true },
    ]);
    expect(await count()).toEqual({ n: 1 });
  });
});
