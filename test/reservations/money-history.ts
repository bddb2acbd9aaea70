/**
 * Randomised histories: customers of a batch of slots do whatever customers, clocks, providers and people of the house
 * can do, in any order, while our process dies at any statement or call. Afterwards time runs until everything has
 * ended, and the checker looks at what is left. The same seed gives the same history.
 *
 * One slot of the batch is one history. The batch shares tables, clock and provider, so that opening, sweeping, emptying
 * and checking are paid once for many.
 */

import { platform } from '#platform';
import type { Clock, SqlDatabase } from '../../src/core/ports.ts';
import { AppError } from '../../src/systems/reservations/app-error.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { admin, type BookingWorld, type Customer, openWorld, today, type WorldOptions } from './booking-world.ts';
import { type CrashPlan, crashingDatabase, crashPlan, ProcessDied } from './crashing-database.ts';
import { loopbackSide } from './loopback-side.ts';
import { checkMoneyHistory, type HeldUnder } from './money-checker.ts';
import { doubleSide, type PaymentSide, type SideEvent, type SideSession } from './payment-side.ts';

export interface HistoryOptions {
  readonly seed: number;
  /** Slots of the batch: each counts as one history. */
  readonly slots: number;
  /** Steps per slot. */
  readonly steps: number;
  /** Who takes the money: a double inside the test, or the fake that the real SDK talks to. @default 'double' */
  readonly provider?: 'double' | 'loopback';
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
  /** Of the real SDK, as the provider saw them. */
  readonly requests: number;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

type Move = readonly [weight: number, run: () => unknown];

export async function runHistories(database: SqlDatabase, options: HistoryOptions): Promise<HistoryReport> {
  const { seed, slots, steps, provider = 'double' } = options;
  const plan = crashPlan();
  const delayedMethods = seed % 3 === 0;
  let world: BookingWorld | undefined;
  const clock: Clock = { ...platform.clock, wallMs: () => world?.nowMs() ?? 0 };
  const loopback = provider === 'loopback' ? await loopbackSide(clock, seededRandom(`provider ${seed}`)) : undefined;
  try {
    world = await openWorld(database, {
      seed,
      clock,
      wrap: (plain) => crashingDatabase(plain, plan),
      delayedMethods,
      lateMoney: seed % 2 === 0 ? 'refund' : 'reinstate-if-free',
      ...(loopback && { payments: loopback.port }),
      ...(options.tamper && { tamper: options.tamper }),
    });
    await options.prepare?.(world);
    const side = loopback ?? doubleSide(world.payments);
    return await tell(world, side, plan, { slots, steps, delayedMethods });
  } finally {
    await loopback?.close();
  }
}

async function tell(
  world: BookingWorld,
  side: PaymentSide,
  plan: CrashPlan,
  { slots, steps, delayedMethods }: { slots: number; steps: number; delayedMethods: boolean },
): Promise<HistoryReport> {
  const { random, reservations, effects } = world;
  const counts = { deaths: 0, lostCalls: 0 };
  const held: HeldUnder[] = [];
  const problems: string[] = [];
  const customers = await world.addCustomers(slots * 2);
  const known: { readonly id: number; readonly customer: Customer }[] = [];
  /** Holds whose payment page nobody has opened yet. */
  const fresh: { readonly id: number; readonly customer: Customer }[] = [];
  const waiting: SideEvent[] = [];
  const delivered: SideEvent[] = [];
  let outage = 0;

  side.hooks = {
    step: (when) => plan.step(when),
    fate() {
      const isOut = outage-- > 0;
      if (!isOut && !random.chance(0.04)) return 'fine';
      counts.lostCalls++;
      return isOut ? side.outageFate : random.pick(side.fates);
    },
  };

  /** One thing that our process does; it may die in it. Expected refusals are answers. */
  const act = async (work: () => Promise<unknown>, longest = 9): Promise<void> => {
    // What takes longer is more likely to be interrupted.
    if (random.chance(longest > 9 ? 0.4 : 0.15))
      plan.dieAt(random.integer(1, longest), random.pick(['before', 'after']));
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ProcessDied || error instanceof AppError)) throw error;
    }
    if (plan.isDead()) counts.deaths++;
    plan.revive();
  };
  // Mostly of the newest: old ones are over.
  const recent = <T>(list: readonly T[]): T | undefined =>
    list.length > 0 ? random.pick(list.slice(random.chance(0.8) ? -slots : 0)) : undefined;
  const deliver = (event: SideEvent): Promise<unknown> =>
    reservations.acceptWebhook({ ...event.pack(), contentType: 'application/json' });

  const hold = async (): Promise<void> => {
    const slotNumber = random.integer(1, slots);
    const customer = customers[(2 * slotNumber + random.integer(0, 2)) % customers.length] as Customer;
    // Now and then an old key of theirs again, with the same input or another.
    const mine = random.chance(0.3) ? held.filter((one) => one.userId === customer.id) : [];
    const again = mine.length > 0 ? random.pick(mine) : undefined;
    const idempotencyKey = again?.key ?? world.key();
    const input = { videoId: customer.videoId, projectionDate: today, slotNumber, idempotencyKey };
    if (again && random.chance(0.8)) input.slotNumber = again.slotNumber;
    await act(async () => {
      const { reservationId } = await reservations.holdSlot(input, { actor: customer.actor });
      held.push({ userId: customer.id, key: idempotencyKey, slotNumber: input.slotNumber, reservationId });
      if (known.some(({ id }) => id === reservationId)) return;
      known.push({ id: reservationId, customer });
      fresh.push({ id: reservationId, customer });
    });
  };
  const checkOut = async (): Promise<void> => {
    const at = fresh.length > 0 && random.chance(0.85) ? random.integer(0, fresh.length - 1) : undefined;
    const [one] = at === undefined ? [recent(known)] : fresh.splice(at, 1);
    if (one) await act(() => reservations.startCheckout(one.id, { actor: one.customer.actor }));
  };
  const pay = (): void => {
    const open = side.sessions().filter(({ status }) => status === 'open');
    if (open.length === 0) return;
    // Often the one that is open for longest: its hold may be over.
    const { id } = random.chance(0.4) ? (open[0] as SideSession) : random.pick(open);
    if (delayedMethods && random.chance(0.4)) side.chooseVoucher(id, random.integer(1, 300) * minute);
    else side.pay(id, random.chance(0.05) ? random.pick([1, 2_999, 6_000]) : undefined);
  };
  const cancel = async (): Promise<void> => {
    const one = recent(known);
    if (!one) return;
    const actor = random.chance(0.2) ? admin : one.customer.actor;
    await act(() => reservations.cancelReservation(one.id, { actor }));
    if (random.chance(0.3)) await act(() => reservations.cancelReservation(one.id, { actor }));
  };
  const hear = async (): Promise<void> => {
    waiting.push(...side.takeEvents());
    if (waiting.length === 0) return;
    // In any order, a tenth never, and now and then again later.
    const [event] = waiting.splice(random.integer(0, waiting.length - 1), 1);
    if (!event || random.chance(0.1)) return;
    if (random.chance(0.2)) waiting.push(event);
    delivered.push(event);
    await act(() => deliver(event));
  };
  const comeBack = async (): Promise<void> => {
    const session = recent(side.sessions());
    if (session) await act(() => reservations.handleCheckoutComplete({ id: session.id }));
  };
  const takeBack = (): void => {
    const charges = side.charges();
    if (charges.length === 0) return;
    const { paymentIntentId, amount } = random.pick(charges);
    if (random.chance(0.5)) side.refundOutside(paymentIntentId, random.pick([1_000, amount]));
    else side.dispute(paymentIntentId, random.pick(['won', 'lost', undefined]));
  };
  const fix = async (): Promise<void> => {
    const { videoId } = random.pick(customers);
    const how = random.chance(0.5) ? { renderUrl: 'http://127.0.0.1/fixed.mp4' } : {};
    await act(() => reservations.markVideoFixed(videoId, how, { actor: admin }));
  };
  const changeRefunds = (): void => {
    side.refundFate = random.pick(['succeeded', 'succeeded', 'pending', 'requires_action', 'failed', 'refused']);
    for (const { id, status } of side.refunds()) {
      if (status === 'pending' && random.chance(0.5)) side.endRefund(id, random.chance(0.8) ? 'succeeded' : 'failed');
    }
  };

  // What concerns one slot comes as often as there are slots; what concerns all comes as often as time passes.
  const all = 25 / slots;
  const many = Math.ceil(8 / all);
  const moves: readonly Move[] = [
    [15, hold],
    [14, checkOut],
    [16, pay],
    [
      delayedMethods ? 8 : 0,
      () => side.payVoucher(recent(side.sessions().filter(({ hasVoucher }) => hasVoucher))?.id ?? ''),
    ],
    [16, hear],
    [2, () => act(async () => void (delivered.length > 0 && (await deliver(random.pick(delivered)))))],
    [3, comeBack],
    [2, cancel],
    [0.5, fix],
    [0.3, takeBack],
    [20 * all, () => act(() => reservations.workEvents({ limit: random.integer(1, many) }), 5 * many)],
    [24 * all, () => act(() => effects.runDue({ limit: random.integer(1, many) }), 5 * many)],
    [6 * all, () => act(() => reservations.expireHolds(), 40)],
    [all, () => act(() => reservations.reconcile(), 40)],
    [all / 2, () => act(() => reservations.beginSlots())],
    [all / 2, () => act(() => reservations.checkFailedRenders())],
    [7 * all, () => world.advance(random.pick([second, 20 * second, minute, 2 * minute, 6 * minute]))],
    // Past every deadline, while pages are open.
    [1.5 * all, () => world.advance(16 * minute)],
    [
      4 * all,
      () => {
        world.render.plan = random.pick(['done', 'done', 'done', 'failed', 'working', 'unreachable']);
      },
    ],
    [4 * all, changeRefunds],
    [
      all,
      () => {
        outage = random.integer(3, 30);
      },
    ],
    [all / 3, () => side.forgetKeys()],
  ];
  const weight = moves.reduce((sum, [share]) => sum + share, 0);

  for (let i = 0; i < steps * slots; i++) {
    await pickMove(moves, random.fraction() * weight)();
    // Somebody else's process never sees two live reservations either.
    if (i % 200 === 0) problems.push(...(await findTwoLive(world)));
  }

  side.hooks = undefined;
  side.refundFate = 'succeeded';
  world.render.plan = random.pick(['done', 'done', 'failed']);
  await runOut(world, side, waiting, deliver);
  problems.push(...(await findTwoLive(world)), ...(await checkMoneyHistory(world, side, held)));
  const statuses = await world.rows<{ status: string; n: number }>(
    'select status, count(*)::integer as n from @reservations group by status',
  );
  return {
    problems,
    statuses: Object.fromEntries(statuses.map(({ status, n }) => [status, n])),
    charges: side.charges().length,
    refunds: side.refunds().length,
    requests: side.requestCount(),
    ...counts,
  };
}

function pickMove(moves: readonly Move[], at: number): () => unknown {
  let left = at;
  for (const [share, move] of moves) {
    left -= share;
    if (left < 0) return move;
  }
  return () => undefined;
}

/** Nothing fails any more: every clock ticks until everything has ended. A tenth of the events never comes. */
async function runOut(
  world: BookingWorld,
  side: PaymentSide,
  waiting: SideEvent[],
  deliver: (event: SideEvent) => Promise<unknown>,
): Promise<void> {
  const { random, reservations } = world;
  // First in small steps, past every hold; then past the slots' beginning; then past every window and retry.
  const pauses = [3, 3, 10, 10, 10, 30, 120, 480, 240, 60, 10, 600, 600, 600, 10, 5].map((minutes) => minutes * minute);
  const hearAll = async (): Promise<void> => {
    for (const event of [...waiting.splice(0), ...side.takeEvents()]) if (!random.chance(0.1)) await deliver(event);
  };
  for (const pause of pauses) {
    for (const { id, status } of side.refunds()) {
      if (status === 'pending' || status === 'requires_action') side.endRefund(id, 'succeeded');
    }
    await refundByHand(world);
    await hearAll();
    await reservations.expireHolds();
    await reservations.reconcile();
    await world.drain();
    await reservations.beginSlots();
    await reservations.checkFailedRenders();
    await world.drain();
    await world.advance(pause);
    side.tick();
  }
  await world.advance(26 * hour);
  for (let i = 0; i < 3; i++) {
    await reservations.reconcile();
    await hearAll();
    await world.drain();
    await world.advance(hour);
  }
  await reservations.checkAlerts();
  await world.drain();
}

/** A refund that was refused again and again waits for a person, and an alert says so; here that person comes. */
async function refundByHand(world: BookingWorld): Promise<void> {
  const rows = await world.rows<{ paymentId: number }>(
    `select f.payment_id as "paymentId" from @refunds f where f.state = 'manual'
       and exists (select from @alerts a join @payments p on a.subject = 'reservation:' || p.reservation_id
       where p.id = f.payment_id and a.rule = 'refund-manual' and a.closed_at is null)`,
  );
  for (const { paymentId } of rows) await world.reservations.processRefund(paymentId, { actor: admin });
}

async function findTwoLive(world: BookingWorld): Promise<readonly string[]> {
  const rows = await world.rows<{ slot: number; n: number }>(
    `select slot_number as slot, count(*)::integer as n from @reservations
     where status not in ('expired', 'cancelled') group by projection_date, slot_number having count(*) > 1`,
  );
  return rows.map(({ slot, n }) => `slot ${slot} has ${n} live reservations`);
}
