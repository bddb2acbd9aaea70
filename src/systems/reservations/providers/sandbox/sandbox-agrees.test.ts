/**
 * The sandbox and the real adapter over the fake, given the same random calls and the same acts of customers and banks,
 * must answer alike. What works in the sandbox then works with the adapter.
 */
import { afterEach, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../../../../testing/fake-clock.ts';
import { type FakePayments, startFakePayments } from '../../../../testing/providers/fake-payments.ts';
import { type SeededRandom, seededRandom } from '../../../../testing/seeded-random.ts';
import type { PaymentPort } from '../../payment-port.ts';
import { stripePayments } from '../stripe/stripe-payments.ts';
import type { PaymentBook } from './book/payment-book.ts';
import { sandboxPayments } from './sandbox-payments.ts';

interface Side {
  readonly port: PaymentPort;
  readonly book: PaymentBook;
  readonly clock: FakeClock;
  /** Ids differ between the two sides; these are in the order in which they came into being. */
  readonly sessions: string[];
}

const minute = 60_000;
let fake: FakePayments | undefined;
afterEach(() => fake?.close());

async function openSides(): Promise<readonly [Side, Side]> {
  const [one, two] = [fakeClock(), fakeClock()];
  fake = await startFakePayments({ clock: one });
  const real = await stripePayments({ ...fake.stripeOptions, retries: 0 });
  const sandbox = sandboxPayments({ baseUrl: 'http://shop.example/sandbox', clock: two });
  return [
    { port: real, book: fake.book, clock: one, sessions: [] },
    { port: sandbox, book: sandbox.book, clock: two, sessions: [] },
  ];
}

type Step = (side: Side) => Promise<unknown>;

/** One call, or one thing that happens at the provider; the same on both sides. */
function drawStep(random: SeededRandom): Step {
  const pick = Math.floor(random.fraction() * 8);
  const key = Math.floor(random.fraction() * 4);
  const amount = random.fraction() < 0.8 ? 8800 : 4400;
  const delayedMethods = random.fraction() < 0.5;
  const sessionOf = ({ sessions }: Side): string => sessions[pick % Math.max(1, sessions.length)] ?? 'cs_test_none';
  const intentOf = (side: Side): string => side.book.state.sessions.get(sessionOf(side))?.payment_intent ?? 'pi_none';
  const status = (['succeeded', 'pending', 'failed', 'requires_action'] as const)[key] ?? 'pending';
  const steps: readonly Step[] = [
    async (side) => {
      const made = await side.port.createSession({
        reservationId: 41 + key,
        amount,
        currency: 'jpy',
        title: 'Film',
        customerEmail: 'hana@example.jp',
        locale: 'ja',
        successUrl: 'http://shop.example/done',
        cancelUrl: 'http://shop.example/back',
        expiresAtMs: side.clock.wallMs() + (key === 3 ? 20 : 35) * minute,
        delayedMethods,
        idempotencyKey: `session:${pick}`,
      });
      if (!side.sessions.includes(made.id)) side.sessions.push(made.id);
      return made;
    },
    (side) => side.port.getSession(sessionOf(side)),
    (side) => side.port.expireSession({ sessionId: sessionOf(side), idempotencyKey: `expire:${pick}:${key}` }),
    (side) => side.port.listSessions({ sinceMs: 0, ...(key > 1 && { reservationId: 41 + key }) }),
    (side) =>
      side.port.createRefund({
        paymentIntentId: intentOf(side),
        amount,
        currency: 'jpy',
        ledgerId: pick + 1,
        reservationId: 41,
        customerEmail: 'hana@example.jp',
        idempotencyKey: `refund:${pick}:${key}`,
      }),
    (side) => side.port.listRefunds(intentOf(side)),
    (side) => side.port.listDisputes(intentOf(side)),
    async ({ book, ...side }) => book.sessions.pay(sessionOf({ book, ...side })).ok,
    async ({ book, ...side }) => book.sessions.decline(sessionOf({ book, ...side })).ok,
    async ({ book, ...side }) => book.sessions.payLater(sessionOf({ book, ...side })).ok,
    async ({ book, ...side }) =>
      book.sessions.settleVoucher(sessionOf({ book, ...side }), key % 2 === 0 ? 'paid' : 'failed').ok,
    async ({ book }) => book.planRefund({ status }),
    async ({ book }) => {
      const refund = [...book.state.refunds.keys()][pick];
      return refund !== undefined && book.refunds.change(refund, { status }).ok;
    },
    async (side) => side.book.disputes.open(intentOf(side)).ok,
    async ({ book }) => {
      const dispute = [...book.state.disputes.keys()][pick];
      return dispute !== undefined && book.disputes.close(dispute, key % 2 === 0 ? 'won' : 'lost').ok;
    },
    ({ clock }) => clock.advance([minute, 10 * minute, 40 * minute, 25 * 60 * minute][key] ?? minute),
  ];
  return steps[Math.floor(random.fraction() * steps.length)] as Step;
}

/** What was said, without the names that each side gives by itself. */
async function said(step: Step, side: Side): Promise<string> {
  const names = new Map<string, string>();
  const rename = (id: string): string => {
    if (!names.has(id)) names.set(id, `#${names.size}`);
    return names.get(id) ?? '';
  };
  const outcome = await step(side).then(
    (value: unknown) => ({ value }),
    (error: { code?: string; providerCode?: string }) => ({ code: error.code, providerCode: error.providerCode }),
  );
  return JSON.stringify(outcome)
    .replace(/"url":"[^"]*"/g, '"url":"…"')
    .replace(/\b(cs_test|pi|ch|re|du)_\w+/g, rename)
    .replace(/"message":"[^"]*"/g, '"message":"…"');
}

it.each(Array.from({ length: 25 }, (_, seed) => seed + 1))('history %i: the same answers', async (seed) => {
  const [real, sandbox] = await openSides();
  const random = seededRandom(seed);
  for (let number = 1; number <= 60; number++) {
    const step = drawStep(random);
    expect(await said(step, sandbox), `step ${number}`).toBe(await said(step, real));
  }
});

it('would notice a difference', async () => {
  const [real, sandbox] = await openSides();
  const lenient: Side = { ...sandbox, port: { ...sandbox.port, listSessions: async () => [] } };
  const differences: number[] = [];
  for (let seed = 1; seed <= 5; seed++) {
    const random = seededRandom(seed);
    for (let number = 1; number <= 60; number++) {
      const step = drawStep(random);
      if ((await said(step, lenient)) !== (await said(step, real))) differences.push(number);
    }
  }
  expect(differences).not.toEqual([]);
});
