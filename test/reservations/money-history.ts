/**
 * Randomised histories: customers of a batch of slots do whatever customers, clocks, providers and people of the house
 * can do, in any order, while our process dies at any statement or call. Afterwards time runs until everything has
 * ended, and the checker looks at what is left. The same seed gives the same history.
 */

import type { SqlDatabase } from '../../src/core/ports.ts';
import { AppError } from '../../src/systems/reservations/app-error.ts';
import type { PaymentEvent } from '../../src/systems/reservations/payment-port.ts';
import { admin, type BookingWorld, type Customer, openWorld, today, type WorldOptions } from './booking-world.ts';
import { crashingDatabase, crashPlan, ProcessDied } from './crashing-database.ts';
import { checkMoneyHistory, type HeldUnder } from './money-checker.ts';

export interface HistoryOptions {
  readonly seed: number;
  /** Slots of the batch: each counts as one history. */
  readonly slots: number;
  /** Steps per slot. */
  readonly steps: number;
  readonly tamper?: WorldOptions['tamper'];
  /** Changes the tables of a planted bug. */
  readonly prepare?: (world: BookingWorld) => Promise<void>;
}

export interface HistoryReport {
  readonly problems: readonly string[];
  readonly statuses: Readonly<Record<string, number>>;
  readonly charges: number;
  readonly refunds: number;
  readonly deaths: number;
  readonly lostCalls: number;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

export async function runHistories(database: SqlDatabase, options: HistoryOptions): Promise<HistoryReport> {
  const { seed, slots, steps } = options;
  const plan = crashPlan();
  const delayedMethods = seed % 3 === 0;
  const world = await openWorld(database, {
    seed,
    wrap: (plain) => crashingDatabase(plain, plan),
    delayedMethods,
    lateMoney: seed % 2 === 0 ? 'refund' : 'reinstate-if-free',
    ...(options.tamper && { tamper: options.tamper }),
  });
  await options.prepare?.(world);
  const { random, payments, reservations, effects } = world;
  const counts = { deaths: 0, lostCalls: 0 };
  const held: HeldUnder[] = [];
  const problems: string[] = [];
  const customers: Customer[] = [];
  for (let i = 0; i < slots * 2; i++) customers.push(await world.addCustomer());
  const known: { id: number; customer: Customer }[] = [];
  const delivered: PaymentEvent[] = [];
  let outage = 0;

  payments.fault = (_, when) => {
    plan.step(when);
    if (when === 'before' && outage > 0) {
      counts.lostCalls++;
      return true;
    }
    if (!random.chance(0.03)) return false;
    counts.lostCalls++;
    return true;
  };

  /** One thing that our process does; it may die in it. Expected refusals are answers. */
  const act = async (work: () => Promise<unknown>): Promise<void> => {
    if (random.chance(0.12)) plan.dieAt(random.integer(1, 9), random.pick(['before', 'after']));
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ProcessDied || error instanceof AppError)) throw error;
    }
    if (plan.isDead()) counts.deaths++;
    plan.revive();
  };

  const hold = async (): Promise<void> => {
    const customer = random.pick(customers);
    const slotNumber = random.integer(1, slots);
    // Now and then an old key of theirs again, with the same input or another.
    const mine = held.filter((one) => one.userId === customer.id);
    const again = mine.length > 0 && random.chance(0.3) ? random.pick(mine) : undefined;
    const idempotencyKey = again?.key ?? world.key();
    const input = { videoId: customer.videoId, projectionDate: today, slotNumber, idempotencyKey };
    if (again && random.chance(0.8)) input.slotNumber = again.slotNumber;
    await act(async () => {
      const { reservationId } = await reservations.holdSlot(input, { actor: customer.actor });
      held.push({ userId: customer.id, key: idempotencyKey, slotNumber: input.slotNumber, reservationId });
      if (!known.some(({ id }) => id === reservationId)) known.push({ id: reservationId, customer });
    });
  };
  // Mostly of the newest: old ones are over.
  const anyKnown = () => (known.length > 0 ? random.pick(known.slice(random.chance(0.8) ? -slots : 0)) : undefined);
  const anySession = () => {
    const sessions = [...payments.sessions.values()].slice(random.chance(0.8) ? -slots : 0);
    return sessions.length > 0 ? random.pick(sessions) : undefined;
  };

  const moves: readonly (readonly [number, () => Promise<unknown>])[] = [
    [16, hold],
    [
      16,
      () =>
        act(async () => {
          const one = anyKnown();
          if (one) await reservations.startCheckout(one.id, { actor: one.customer.actor });
        }),
    ],
    [
      24,
      async () => {
        const session = anySession();
        if (session?.status !== 'open') return;
        if (delayedMethods && random.chance(0.4)) payments.chooseVoucher(session.id, random.integer(1, 300) * minute);
        else if (random.chance(0.05)) payments.pay(session.id, { amount: random.pick([1, 2_999, 6_000]) });
        else payments.pay(session.id);
      },
    ],
    [
      5,
      async () => {
        const session = anySession();
        if (session) payments.payVoucher(session.id);
      },
    ],
    [
      12,
      async () => {
        // In any order, and now and then again later.
        if (payments.events.length === 0) return;
        const [event] = payments.events.splice(random.integer(0, payments.events.length - 1), 1);
        if (!event || random.chance(0.1)) return;
        if (random.chance(0.2)) payments.events.push(event);
        delivered.push(event);
        await act(() => world.deliver(event));
      },
    ],
    [3, () => act(async () => void (delivered.length > 0 && (await world.deliver(random.pick(delivered)))))],
    [10, () => act(() => reservations.workEvents({ limit: random.integer(1, 10) }))],
    [14, () => act(() => effects.runDue({ limit: random.integer(1, 12) }))],
    [
      2,
      () =>
        act(async () => {
          const one = anyKnown();
          if (!one) return;
          const actor = random.chance(0.2) ? admin : one.customer.actor;
          await reservations.cancelReservation(one.id, { actor });
          if (random.chance(0.3)) await reservations.cancelReservation(one.id, { actor });
        }),
    ],
    [
      4,
      () =>
        act(async () => {
          const session = anySession();
          if (session) await reservations.handleCheckoutComplete(session);
        }),
    ],
    [3, () => act(() => reservations.expireHolds())],
    [1, () => act(() => reservations.reconcile())],
    [1, () => act(() => reservations.beginSlots())],
    [1, () => act(() => reservations.checkFailedRenders())],
    [3, () => world.advance(random.pick([second, 20 * second, minute, 2 * minute, 6 * minute]))],
    [
      2,
      async () => {
        world.render.plan = random.pick(['done', 'done', 'done', 'failed', 'working', 'unreachable']);
      },
    ],
    [
      1,
      () =>
        act(async () => {
          const { videoId } = random.pick(customers);
          const fix = random.chance(0.5) ? { renderUrl: 'http://127.0.0.1/fixed.mp4' } : {};
          await reservations.markVideoFixed(videoId, fix, { actor: admin });
        }),
    ],
    [
      3,
      async () => {
        payments.refundPlan = random.pick([
          'succeeded',
          'succeeded',
          'pending',
          'requires_action',
          'failed',
          'refused',
        ]);
        for (const refund of payments.refunds) {
          if (refund.status === 'pending' && random.chance(0.5)) {
            payments.endRefund(refund.id, random.chance(0.8) ? 'succeeded' : 'failed');
          }
        }
      },
    ],
    [
      1,
      async () => {
        outage = outage > 0 ? 0 : 1;
      },
    ],
    [0.3, async () => payments.forgetKeys()],
    [
      0.4,
      async () => {
        if (payments.charges.length === 0) return;
        const charge = random.pick(payments.charges);
        if (random.chance(0.5)) payments.refundOutside(charge.paymentIntentId, random.pick([1_000, charge.amount]));
        else {
          const { id } = payments.dispute(charge.paymentIntentId);
          if (random.chance(0.7)) payments.closeDispute(id, random.pick(['won', 'lost']));
        }
      },
    ],
  ];
  const weight = moves.reduce((sum, [share]) => sum + share, 0);

  for (let i = 0; i < steps * slots; i++) {
    await pickMove(moves, random.fraction() * weight)();
    // Somebody else's process never sees two live reservations either.
    if (i % 40 === 0) problems.push(...(await findTwoLive(world)));
  }

  outage = 0;
  payments.fault = undefined;
  payments.refundPlan = 'succeeded';
  world.render.plan = random.pick(['done', 'done', 'failed']);
  await runOut(world);
  problems.push(...(await findTwoLive(world)), ...(await checkMoneyHistory(world, held)));
  const statuses = await world.rows<{ status: string; n: number }>(
    'select status, count(*)::integer as n from @reservations group by status',
  );
  return {
    problems,
    statuses: Object.fromEntries(statuses.map(({ status, n }) => [status, n])),
    charges: payments.charges.length,
    refunds: payments.refunds.length,
    ...counts,
  };
}

function pickMove(moves: readonly (readonly [number, () => Promise<unknown>])[], at: number): () => Promise<unknown> {
  let left = at;
  for (const [share, move] of moves) {
    left -= share;
    if (left < 0) return move;
  }
  return async () => undefined;
}

/** Nothing fails any more: every clock ticks until everything has ended. A tenth of the events never comes. */
async function runOut(world: BookingWorld): Promise<void> {
  const { random, payments, reservations } = world;
  // First in small steps, past every hold; then past the slots' beginning; then past every window and retry.
  const pauses = [3, 3, 10, 10, 10, 30, 120, 480, 240, 60, 10, 600, 600, 600, 10, 5].map((minutes) => minutes * minute);
  for (const pause of pauses) {
    for (const refund of payments.refunds) {
      if (refund.status === 'pending' || refund.status === 'requires_action')
        payments.endRefund(refund.id, 'succeeded');
    }
    for (const event of payments.events.splice(0)) if (!random.chance(0.1)) await world.deliver(event);
    await reservations.expireHolds();
    await reservations.reconcile();
    await world.drain();
    await reservations.beginSlots();
    await reservations.checkFailedRenders();
    await world.drain();
    await world.advance(pause);
  }
  await world.advance(26 * hour);
  for (let i = 0; i < 3; i++) {
    await reservations.reconcile();
    await world.settle();
    await world.advance(hour);
  }
  await reservations.checkAlerts();
  await world.drain();
}

async function findTwoLive(world: BookingWorld): Promise<readonly string[]> {
  const rows = await world.rows<{ slot: number; n: number }>(
    `select slot_number as slot, count(*)::integer as n from @reservations
     where status not in ('expired', 'cancelled') group by projection_date, slot_number having count(*) > 1`,
  );
  return rows.map(({ slot, n }) => `slot ${slot} has ${n} live reservations`);
}
