import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CreateSessionRequest } from '../../payment-port.ts';
import { type SandboxPayments, sandboxPayments } from './sandbox-payments.ts';

let dir = '';
let file = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kannuki-sandbox-'));
  file = join(dir, 'deep', 'payments.json');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const open = (): SandboxPayments => sandboxPayments({ baseUrl: 'http://shop.example/sandbox', file });
const request: CreateSessionRequest = {
  reservationId: 41,
  amount: 8800,
  currency: 'jpy',
  title: 'Film',
  customerEmail: 'hana@example.jp',
  locale: 'ja',
  successUrl: 'http://shop.example/done',
  cancelUrl: 'http://shop.example/back',
  expiresAtMs: Date.now() + 40 * 60_000,
  delayedMethods: false,
  idempotencyKey: 'session:41',
};
const refund = {
  amount: 8800,
  currency: 'jpy',
  ledgerId: 9,
  reservationId: 41,
  customerEmail: 'hana@example.jp',
  idempotencyKey: 'refund:9:1',
};

it('remembers sessions, payments, refunds and keys over a restart, without a farewell', async () => {
  const made = await open().createSession(request);
  // The same key in the next life: the same session.
  const second = open();
  expect(await second.createSession(request)).toEqual(made);
  const button = new URLSearchParams({ button: 'pay' });
  await second.handle(new Request(made.url ?? '', { method: 'POST', body: button }));

  const third = open();
  const paid = await third.getSession(made.id);
  expect(paid).toMatchObject({ paymentStatus: 'paid', reservationId: 41 });
  const paymentIntentId = paid?.paymentIntentId ?? '';
  expect(await third.createRefund({ ...refund, paymentIntentId })).toMatchObject({ kind: 'made' });

  const fourth = open();
  expect(await fourth.createRefund({ ...refund, paymentIntentId })).toMatchObject({ kind: 'made' });
  expect(await fourth.createRefund({ ...refund, paymentIntentId, idempotencyKey: 'refund:9:2' })).toEqual({
    kind: 'already-refunded',
  });
  expect(await fourth.listRefunds(paymentIntentId)).toHaveLength(1);
  expect(fourth.book.state.events.map(({ type }) => type)).toContain('refund.created');
  fourth.close();
});

it.each(['', '{', '{}', '{"version":2,"state":{},"keys":[]}', '{"version":1,"state":{},"keys":[]}', 'null'])(
  'refuses a file that holds %j, and leaves it alone',
  (text) => {
    file = join(dir, 'payments.json');
    writeFileSync(file, text);
    expect(open).toThrowError(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(file) }),
    );
    expect(readFileSync(file, 'utf8')).toBe(text);
  },
);

it('makes no file before there is something to remember, and none without being asked', async () => {
  open();
  expect(existsSync(file)).toBe(false);
  await sandboxPayments({ baseUrl: 'http://shop.example/sandbox' }).createSession(request);
  expect(existsSync(file)).toBe(false);
});
