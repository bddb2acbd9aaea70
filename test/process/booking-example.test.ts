/** The example as its README starts it, clicked through by HTTP: every page is the one that a customer would see. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const startMs = 120_000;
let child: ChildProcess;
let baseUrl = '';
let complaints = '';

beforeAll(async () => {
  child = spawn(process.execPath, ['examples/booking/serve.mjs', '--database', 'memory'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  if (!child.stdout) throw new Error('no output');
  for await (const line of createInterface({ input: child.stdout })) {
    baseUrl = /at (http:\/\/\S+)$/.exec(line)?.[1] ?? '';
    if (baseUrl) break;
  }
  expect(complaints).toBe('');
}, startMs);

afterAll(async () => {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(complaints).toBe('');
});

/** A browser: one customer's cookie, no redirects followed by itself. */
function visitor(customer: number) {
  const headers = { cookie: `customer=${customer}; lang=en` };
  const get = async (path: string): Promise<string> =>
    (await fetch(new URL(path, baseUrl), { headers, redirect: 'manual' })).text();
  const post = (path: string, fields: Record<string, string> = {}): Promise<Response> =>
    fetch(new URL(path, baseUrl), { method: 'POST', headers, body: new URLSearchParams(fields), redirect: 'manual' });
  return {
    get,
    post,
    /** The fields of the first form that books a free time. */
    async wish(): Promise<Record<string, string>> {
      const html = await get('/');
      const form = /<form method="post" action="\/book">(.*?)<\/form>/.exec(html)?.[1] ?? '';
      return Object.fromEntries([...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map((field) => field.slice(1, 3)));
    },
    async book(fields?: Record<string, string>): Promise<string> {
      const reply = await post('/book', fields ?? (await this.wish()));
      expect(reply.status).toBe(303);
      return reply.headers.get('location') ?? '';
    },
    async openPayment(booking: string): Promise<string> {
      const reply = await post(`${booking}/pay`);
      expect(reply.status).toBe(303);
      return reply.headers.get('location') ?? '';
    },
    async status(path: string): Promise<string> {
      return /data-status="(\w+)"/.exec(await get(path))?.[1] ?? '';
    },
  };
}

const hana = visitor(1);
const ken = visitor(2);
const mails = (): Promise<string> => hana.get('/mailbox');
const audit = async () => JSON.parse(await hana.get('/books')) as { money: { balanced: boolean }; races: unknown[] };
const eventually = { timeout: 20_000, interval: 100 };

it('books, pays, hears of it, cancels twice, and gets the money back once', async () => {
  const wish = await hana.wish();
  const booking = await hana.book(wish);
  expect(await hana.status(booking)).toBe('hold');
  // A double click is one booking; somebody else is told.
  expect(await hana.book(wish)).toBe(booking);
  const refused = await ken.post('/book', { ...wish, key: '8d1c2f8a-5f4e-4b39-9d57-0c6d4d3f2a11' });
  expect(refused.status).toBe(409);
  expect(await ken.get(booking)).toContain('no such page');

  const payment = await hana.openPayment(booking);
  expect(await hana.get(payment)).toContain('Pay ¥8,800');
  const paid = await hana.post(payment, { button: 'pay' });
  expect(await hana.status(paid.headers.get('location') ?? '')).toBe('confirmed');
  await expect.poll(mails, eventually).toContain('Your booking is confirmed');

  const [one, two] = await Promise.all([hana.post(`${booking}/cancel`), hana.post(`${booking}/cancel`)]);
  expect([one.status, two.status]).toEqual([303, 303]);
  expect(await hana.status(booking)).toBe('cancelled');
  await expect.poll(mails, eventually).toContain('¥8,800 is on its way back');
  await expect.poll(async () => (await audit()).money.balanced, eventually).toBe(true);
});

it('closes the payment page when the time is over, and gives the time to others', async () => {
  const wish = await ken.wish();
  const booking = await ken.book(wish);
  const payment = await ken.openPayment(booking);
  await ken.post('/time', { minutes: '16' });
  await expect.poll(() => ken.status(booking), eventually).toBe('expired');
  expect(await (await ken.post(payment, { button: 'pay' })).text()).toContain('This payment page is closed');
  expect(await hana.book({ ...wish, key: '8d1c2f8a-5f4e-4b39-9d57-0c6d4d3f2a12' })).not.toBe(booking);
});

it('pays later at a convenience store', async () => {
  const booking = await ken.book();
  const payment = await ken.openPayment(booking);
  await ken.post(payment, { button: 'later' });
  await expect.poll(() => ken.status(booking), eventually).toBe('payment_pending');
  await ken.post(payment, { button: 'voucher-pay' });
  await expect.poll(() => ken.status(booking), eventually).toBe('confirmed');
  await expect.poll(() => ken.get(booking), eventually).toContain('Your film is ready');
});

it('refunds by itself when the film cannot be prepared', async () => {
  await hana.post('/films/fail');
  const booking = await hana.book();
  const payment = await hana.openPayment(booking);
  await hana.post(payment, { button: 'pay' });
  await expect.poll(() => hana.status(booking), eventually).toBe('confirmed');
  await expect
    .poll(async () => {
      await hana.post('/time', { minutes: '1' });
      return mails();
    }, eventually)
    .toContain('Your film needs more time');
  await hana.post('/time', { minutes: '1500' });
  await expect.poll(() => hana.status(booking), eventually).toBe('cancelled');
  await expect.poll(mails, eventually).toContain('We could not prepare your film');
  await expect.poll(async () => (await audit()).money.balanced, eventually).toBe(true);
  expect((await audit()).races).toContainEqual(
    expect.objectContaining({ scenario: 'RENDER_FAILURE', resolution: 'REFUNDED' }),
  );
});

it('speaks Japanese', async () => {
  const reply = await fetch(new URL('/?lang=ja', baseUrl));
  expect(await reply.text()).toContain('練習用のサイトです。');
});
