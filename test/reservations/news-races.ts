/** Races of news, callers and workers that meet at the same moment or not at all. */
import { expect } from 'vitest';
import type { SqlDatabase } from '../../src/core/ports.ts';
import type { PaymentEvent } from '../../src/systems/reservations/payment-port.ts';
import { type BookingWorld, type Customer, minute, today } from './booking-world.ts';
import { codeOf, paid, type Race, refundStates, templates } from './race.ts';

const hour = 60 * minute;
let storeFails = false;
const unreliable = (database: SqlDatabase): SqlDatabase => ({
  ...database,
  query: (statement) => (storeFails ? Promise.reject(new Error('the database is away')) : database.query(statement)),
});

/** Held and paid; the event about it is still on its way. */
async function paidUnheard(
  world: BookingWorld,
): Promise<{ readonly id: number; readonly sessionId: string; readonly customer: Customer; event: PaymentEvent }> {
  const customer = await world.addCustomer();
  const id = await world.hold(customer);
  const sessionId = await world.pay(id, customer);
  const [event] = world.payments.events.splice(0);
  if (!event) throw new Error('the provider sent nothing');
  return { id, sessionId, customer, event };
}

export const newsRaces: readonly Race[] = [
  {
    number: 1,
    name: 'two customers take one slot at once: one has it, the other is told, and the race is written down',
    async run(world) {
      const [a, b] = [await world.addCustomer(), await world.addCustomer()];
      const answers = await Promise.all([codeOf(world.hold(a)), codeOf(world.hold(b))]);
      expect(answers.sort()).toEqual(['SLOT_ALREADY_TAKEN', 'fine']);
      expect(await world.reservations.listRaces()).toMatchObject([{ scenario: 'SLOT_CONFLICT', resolution: 'RETRY' }]);
    },
  },
  {
    number: 4,
    name: 'the same key while the first is under way: one hold, one answer',
    async run(world) {
      const { videoId, actor } = await world.addCustomer();
      const input = { videoId, projectionDate: today, slotNumber: 1, idempotencyKey: world.key() };
      const answers = await Promise.all([1, 2, 3].map(() => world.reservations.holdSlot(input, { actor })));
      expect(new Set(answers.map(({ reservationId, expiresAt }) => `${reservationId} ${expiresAt}`)).size).toBe(1);
      expect(await world.rows('select 1 from @reservations')).toHaveLength(1);
    },
  },
  {
    number: 5,
    name: 'a worker dies with a refund in its hands: another one goes on, nothing is sent twice',
    async run(world) {
      const { id, customer } = await paid(world);
      await world.reservations.cancelReservation(id, { actor: customer.actor });
      await world.rows(world.context.sql.claimEffects.text, [10, 120_000]);
      await world.drain();
      expect(world.payments.refunds).toEqual([]);
      await world.advance(121_000);
      await world.settle();
      expect(world.payments.refunds).toHaveLength(1);
    },
  },
  {
    number: 6,
    name: 'a worker that was taken over wakes up: its word no longer counts',
    async run(world) {
      await paidUnheard(world);
      await world.advance(16 * minute);
      await world.reservations.expireHolds();
      const claim = (): Promise<readonly { id: number; claim: number }[]> =>
        world.rows(world.context.sql.claimEffects.text, [1, 60_000]);
      const [slow] = await claim();
      await world.advance(61_000);
      const [next] = await claim();
      const finish = (by: { id: number; claim: number } | undefined) =>
        world.rows(world.context.sql.finishEffect.text, [by?.id, by?.claim, 'done', 0, false, null]);
      expect(await finish(slow)).toEqual([]);
      expect(await finish(next)).toHaveLength(1);
    },
  },
  {
    number: 11,
    name: 'paid in time, heard of late: confirmed',
    async run(world) {
      const { id, event } = await paidUnheard(world);
      await world.advance(hour);
      await world.deliver(event);
      await world.drain();
      expect(await world.status(id)).toBe('confirmed');
    },
  },
  {
    number: 14,
    name: 'the same event again, later: known, and nothing happens',
    async run(world) {
      const { id, event } = await paidUnheard(world);
      await world.deliver(event);
      await world.drain();
      const before = await world.rows('select id, version from @reservations');
      await world.advance(minute);
      const rawBody = JSON.stringify(event);
      const again = { rawBody, signature: 'signed', contentType: 'application/json' };
      expect(await world.reservations.acceptWebhook(again)).toMatchObject({ duplicate: true });
      expect(await world.reservations.workEvents()).toEqual({ done: 0, parked: 0 });
      expect(await world.rows('select id, version from @reservations')).toEqual(before);
      expect(await world.status(id)).toBe('confirmed');
    },
  },
  {
    number: 15,
    name: 'the same event five times at once, worked on by three: one transition, one mail',
    async run(world) {
      const { event } = await paidUnheard(world);
      await Promise.all([1, 2, 3, 4, 5].map(() => world.deliver(event)));
      await Promise.all([1, 2, 3].map(() => world.reservations.workEvents()));
      await world.drain();
      expect(templates(world)).toEqual(['reservation-confirmed']);
      const moves = await world.rows(`select 1 from @reservation_journal where to_status = 'confirmed'`);
      expect(moves).toHaveLength(1);
    },
  },
  {
    number: 18,
    name: 'a webhook that cannot be stored is not taken; it comes again',
    options: { wrap: unreliable },
    async run(world) {
      const { id, event } = await paidUnheard(world);
      storeFails = true;
      try {
        await expect(world.deliver(event)).rejects.toThrow('the database is away');
      } finally {
        storeFails = false;
      }
      expect(await world.rows('select 1 from @stripe_events')).toEqual([]);
      await world.deliver(event);
      await world.drain();
      expect(await world.status(id)).toBe('confirmed');
    },
  },
  {
    number: 20,
    name: 'the customer returns before, with and after the webhook: the same answer each time',
    async run(world) {
      const { sessionId, event } = await paidUnheard(world);
      const comeBack = () => world.reservations.handleCheckoutComplete({ id: sessionId });
      const first = await comeBack();
      await world.deliver(event);
      const [second] = await Promise.all([comeBack(), world.reservations.workEvents()]);
      expect(second).toEqual(first);
      expect(await comeBack()).toEqual(first);
      await world.drain();
      expect(templates(world)).toEqual(['reservation-confirmed']);
    },
  },
  {
    number: 22,
    name: 'old news after newer ones changes nothing: what the provider says now decides',
    async run(world) {
      const { id, event } = await paidUnheard(world);
      await world.deliver(event);
      await world.drain();
      await world.deliver({ ...event, id: 'evt_old', type: 'checkout.session.expired' });
      await world.drain();
      expect(await world.status(id)).toBe('confirmed');
    },
  },
  {
    number: 28,
    name: 'a double click on cancel: both hear success, one refund',
    async run(world) {
      const { id, customer } = await paid(world);
      const { actor } = customer;
      const answers = await Promise.all([1, 2].map(() => codeOf(world.reservations.cancelReservation(id, { actor }))));
      await world.settle();
      expect(answers).toEqual(['fine', 'fine']);
      expect(world.payments.refunds).toHaveLength(1);
      expect(await refundStates(world)).toEqual(['succeeded']);
    },
  },
  {
    number: 35,
    name: 'the balance is too low to refund: tried again under another key until it is not',
    async run(world) {
      const { id, customer } = await paid(world);
      world.payments.refundPlan = 'refused';
      await world.reservations.cancelReservation(id, { actor: customer.actor });
      await world.settle();
      expect(world.payments.refunds).toEqual([]);
      world.payments.refundPlan = 'succeeded';
      await world.advance(2 * hour);
      await world.settle();
      expect(await refundStates(world)).toEqual(['succeeded']);
      const keys = world.payments.calls.filter(({ call }) => call === 'createRefund').map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    },
  },
  {
    number: 38,
    name: 'the film is done while its refund is under way: the refund stands, once',
    async run(world) {
      world.render.plan = 'working';
      const { id, customer } = await paid(world);
      await world.reservations.cancelReservation(id, { actor: customer.actor });
      world.render.end(world.render.idOf(customer.videoId, 1), 'done');
      await world.advance(minute);
      await world.settle();
      expect(await world.status(id)).toBe('cancelled');
      expect(world.payments.refunds).toHaveLength(1);
      expect(await world.reservations.auditMoney()).toMatchObject({ balanced: true });
    },
  },
  {
    number: 40,
    name: 'a session that was asked for and never made: the hold ends all the same',
    async run(world) {
      const customer = await world.addCustomer();
      const id = await world.hold(customer);
      world.payments.fault = (call, when) => call === 'createSession' && when === 'before';
      const started = world.reservations.startCheckout(id, { actor: customer.actor });
      expect(await codeOf(started)).toBe('PROVIDER_UNAVAILABLE');
      world.payments.fault = undefined;
      await world.advance(16 * minute);
      await world.reservations.expireHolds();
      await world.settle();
      expect(await world.status(id)).toBe('expired');
      expect(await world.reservations.listAlerts()).toEqual([]);
    },
  },
  {
    number: 41,
    name: 'a change that is rolled back leaves no effect behind, one that is kept leaves them all',
    async run(world) {
      const { id, customer } = await paid(world);
      const count = async () => (await world.rows('select 1 from @reservation_effects')).length;
      const before = await count();
      await world.rows(
        `alter table @reservation_journal add constraint closed check (event <> 'user cancels') not valid`,
      );
      try {
        await expect(world.reservations.cancelReservation(id, { actor: customer.actor })).rejects.toThrow();
        expect([await world.status(id), await count()]).toEqual(['confirmed', before]);
      } finally {
        await world.rows('alter table @reservation_journal drop constraint closed');
      }
      await world.reservations.cancelReservation(id, { actor: customer.actor });
      expect(await count()).toBeGreaterThan(before);
    },
  },
  {
    number: 42,
    name: 'an effect whose transaction ends after a later one’s is not skipped',
    async run(world) {
      // PGlite runs one transaction at a time: there the two cannot cross.
      if (!world.database.capabilities.concurrent) return;
      const seen: string[] = [];
      world.effects.handle('crossing', async ({ key }) => {
        seen.push(key);
        return { kind: 'done' };
      });
      const put = (key: string, then: () => Promise<unknown>) =>
        world.database.transaction(async (tx) => {
          await world.effects.enqueue(tx, 'crossing', {}, { key });
          await then();
        });
      await put('first', async () => {
        await put('second', async () => undefined);
        await world.effects.runDue();
        expect(seen).toEqual(['second']);
      });
      await world.effects.runDue();
      expect(seen).toEqual(['second', 'first']);
    },
  },
  {
    number: 45,
    name: 'a film whose submission got no answer is asked for again, and is one film',
    async run(world) {
      world.render.plan = 'unreachable';
      const { customer } = await paid(world);
      world.render.plan = 'done';
      await world.advance(hour);
      await world.drain();
      await world.advance(minute);
      await world.drain();
      expect(await world.rows('select status from @videos where id = $1::bigint', [customer.videoId])).toEqual([
        { status: 'ready' },
      ]);
      const done = await world.rows(`select 1 from @render_attempts where state = 'done'`);
      expect(done).toHaveLength(1);
    },
  },
  {
    number: 48,
    name: 'the film is fixed as its window ends: shown or refunded, never both, never neither',
    options: { renderTries: 1 },
    async run(world) {
      world.render.plan = 'unreachable';
      const { id, customer } = await paid(world);
      await world.advance(12 * hour - minute);
      const fix = { renderUrl: 'http://127.0.0.1/fixed.mp4' };
      const actor = { kind: 'admin', name: 'Hana' } as const;
      await world.advance(minute);
      await Promise.all([
        codeOf(world.reservations.markVideoFixed(customer.videoId, fix, { actor })),
        world.reservations.checkFailedRenders(),
        world.reservations.beginSlots(),
      ]);
      await world.settle();
      await world.reservations.beginSlots();
      await world.settle();
      const ends = [await world.status(id), world.payments.refunds.length];
      expect([
        ['served', 0],
        ['cancelled', 1],
      ]).toContainEqual(ends);
    },
  },
  {
    number: 50,
    name: 'the clock of our process is years off: the database’s judges',
    async run(world) {
      const { videoId, actor } = await world.addCustomer();
      const input = { videoId, projectionDate: today, slotNumber: 1, idempotencyKey: world.key() };
      const { expiresAt } = await world.reservations.holdSlot(input, { actor });
      expect(new Date(expiresAt).getTime()).toBe(world.nowMs() + 15 * minute);
      expect(Math.abs(world.nowMs() - Date.now())).toBeGreaterThan(hour);
      await world.advance(15 * minute - 1_000);
      expect(await world.reservations.expireHolds()).toMatchObject({ expired: 0 });
      await world.advance(1_000);
      expect(await world.reservations.expireHolds()).toMatchObject({ expired: 1 });
    },
  },
];
