/** Races of payments, and of the news about them. */
import { expect } from 'vitest';
import { minute } from './booking-world.ts';
import { codeOf, givenUp, type Race, templates, voucher } from './race.ts';

const hour = 60 * minute;

export const paymentRaces: readonly Race[] = [
  {
    number: 9,
    name: 'sweep, webhook, return and cancel in the same instant: one end, and the money has one, too',
    async run(world) {
      for (let slot = 1; slot <= 5; slot++) {
        const customer = await world.addCustomer();
        const id = await world.hold(customer, slot);
        const sessionId = await world.pay(id, customer);
        await world.advance(15 * minute);
        for (const event of world.payments.events.splice(0)) await world.deliver(event);
        await Promise.allSettled([
          world.reservations.expireHolds(),
          world.reservations.workEvents(),
          world.reservations.handleCheckoutComplete({ id: sessionId }),
          world.reservations.cancelReservation(id, { actor: customer.actor }),
        ]);
        await world.settle();
        const intent = world.payments.sessions.get(sessionId)?.paymentIntentId;
        const refunds = world.payments.refunds.filter(({ paymentIntentId }) => paymentIntentId === intent);
        const status = await world.status(id);
        expect([status, refunds.length]).toEqual(status === 'confirmed' ? ['confirmed', 0] : ['cancelled', 1]);
      }
    },
  },
  {
    number: 12,
    name: 'given up while the provider was silent, paid in time, slot free: reinstated where the policy says so',
    options: { lateMoney: 'reinstate-if-free' },
    async run(world) {
      const { id } = await givenUp(world);
      await world.reservations.reconcile();
      await world.settle();
      expect(await world.status(id)).toBe('confirmed');
      expect(world.payments.refunds).toEqual([]);
    },
  },
  {
    number: 13,
    name: 'given up, paid in time, slot sold again: refunded, and the new owner is not disturbed',
    options: { lateMoney: 'reinstate-if-free' },
    async run(world) {
      const { id } = await givenUp(world);
      const other = await world.addCustomer();
      const next = await world.hold(other);
      await world.reservations.reconcile();
      await world.settle();
      expect([await world.status(id), await world.status(next)]).toEqual(['expired', 'hold']);
      expect(world.payments.refunds).toHaveLength(1);
      expect(templates(world)).toEqual(['reservation-expired-refunded']);
    },
  },
  {
    number: 16,
    name: 'two events about one fact are one mail',
    async run(world) {
      const customer = await world.addCustomer();
      const id = await world.hold(customer);
      const sessionId = await world.pay(id, customer);
      const [event] = world.payments.events;
      if (!event) throw new Error('no event');
      world.payments.events.push({ ...event, id: 'evt_other', type: 'payment_intent.succeeded' });
      await world.reservations.handleCheckoutComplete({ id: sessionId });
      await world.settle();
      expect(templates(world)).toEqual(['reservation-confirmed']);
    },
  },
  {
    number: 17,
    name: 'an event whose worker died comes back',
    async run(world) {
      const customer = await world.addCustomer();
      const id = await world.hold(customer);
      await world.pay(id, customer);
      for (const event of world.payments.events.splice(0)) await world.deliver(event);
      // Claimed by a worker that is never heard of again.
      await world.rows(world.context.sql.claimEvents.text, [10, 60_000]);
      expect(await world.reservations.workEvents()).toEqual({ done: 0, parked: 0 });
      await world.advance(61_000);
      expect(await world.reservations.workEvents()).toEqual({ done: 1, parked: 0 });
      expect(await world.status(id)).toBe('confirmed');
    },
  },
  {
    number: 19,
    name: 'the webhook is there before our row knows the session: attached, not lost',
    async run(world) {
      const customer = await world.addCustomer();
      const id = await world.hold(customer);
      world.payments.fault = (call, when) => call === 'createSession' && when === 'after';
      const started = world.reservations.startCheckout(id, { actor: customer.actor });
      expect(await codeOf(started)).toBe('PROVIDER_UNAVAILABLE');
      world.payments.fault = undefined;
      const [session] = [...world.payments.sessions.values()];
      world.payments.pay(session?.id ?? '');
      await world.settle();
      expect(await world.status(id)).toBe('confirmed');
      const payments = await world.rows('select 1 from @payments');
      expect(payments).toHaveLength(1);
    },
  },
  {
    number: 19,
    name: 'an event about a reservation that nobody knows is parked and told, never forgotten',
    async run(world) {
      const session = await world.payments.createSession({
        reservationId: 4_711,
        amount: 3_000,
        currency: 'jpy',
        title: 'x',
        customerEmail: 'x',
        locale: 'ja',
        successUrl: 'x',
        cancelUrl: 'x',
        expiresAtMs: world.nowMs() + hour,
        delayedMethods: false,
        idempotencyKey: 'k',
      });
      world.payments.pay(session.id);
      for (const event of world.payments.events.splice(0)) await world.deliver(event);
      for (let i = 0; i < 7; i++) {
        await world.reservations.workEvents();
        await world.advance(10 * minute);
      }
      const rows = await world.rows('select state, note from @stripe_events');
      expect(rows).toEqual([{ state: 'received', note: 'unknown reservation 4711' }]);
      expect((await world.reservations.listAlerts()).map(({ rule }) => rule)).toEqual(['event-parked']);
    },
  },
  {
    number: 21,
    name: 'a lost session, never mentioned by anybody, is found in the provider’s list',
    async run(world) {
      const customer = await world.addCustomer();
      const id = await world.hold(customer);
      world.payments.fault = (call, when) => call === 'createSession' && when === 'after';
      await codeOf(world.reservations.startCheckout(id, { actor: customer.actor }));
      world.payments.fault = undefined;
      const [session] = [...world.payments.sessions.values()];
      world.payments.pay(session?.id ?? '');
      world.payments.events.length = 0;
      expect(await world.reservations.reconcile()).toMatchObject({ found: 1 });
      expect(await world.status(id)).toBe('confirmed');
    },
  },
  {
    number: 23,
    name: 'konbini: complete and unpaid stops the clock of the hold; the voucher has its own',
    options: { delayedMethods: true },
    async run(world) {
      const { id, sessionId } = await voucher(world, 3 * hour);
      await world.advance(hour);
      await world.reservations.expireHolds();
      expect(await world.status(id)).toBe('payment_pending');
      expect(templates(world)).toEqual(['payment-pending']);
      await world.advance(3 * hour);
      await world.reservations.expireHolds();
      await world.settle();
      expect(await world.status(id)).toBe('expired');
      expect(world.payments.payVoucher(sessionId)).toBe(false);
    },
  },
  {
    number: 24,
    name: 'a voucher is worth nothing once the slot has begun: late cash goes back',
    options: { delayedMethods: true },
    async run(world) {
      const { id, sessionId } = await voucher(world, 72 * hour);
      await world.advance(12 * hour);
      await world.reservations.beginSlots();
      expect(await world.status(id)).toBe('expired');
      world.payments.payVoucher(sessionId);
      await world.settle();
      expect(await world.status(id)).toBe('expired');
      expect(world.payments.refunds).toMatchObject([{ amount: 3_000 }]);
    },
  },
  {
    number: 26,
    name: 'two tabs: one session; and if two were paid after all, the second goes back',
    async run(world) {
      const customer = await world.addCustomer();
      const id = await world.hold(customer);
      const tabs = await Promise.all([1, 2].map(() => world.reservations.startCheckout(id, { actor: customer.actor })));
      expect(new Set(tabs.map(({ sessionId }) => sessionId)).size).toBe(1);
      const second = await world.payments.createSession({
        reservationId: id,
        amount: 3_000,
        currency: 'jpy',
        title: 'x',
        customerEmail: 'x',
        locale: 'ja',
        successUrl: 'x',
        cancelUrl: 'x',
        expiresAtMs: world.nowMs() + hour,
        delayedMethods: false,
        idempotencyKey: 'another',
      });
      world.payments.pay(tabs[0]?.sessionId ?? '');
      world.payments.pay(second.id);
      await world.settle();
      expect(await world.status(id)).toBe('confirmed');
      expect(world.payments.refunds).toMatchObject([{ amount: 3_000 }]);
      const causes = await world.rows('select cause from @refunds');
      expect(causes).toEqual([{ cause: 'second-payment' }]);
    },
  },
  {
    number: 27,
    name: 'another amount never confirms; it is told, and goes back when the hold is over',
    async run(world) {
      const customer = await world.addCustomer();
      const id = await world.hold(customer);
      const { sessionId } = await world.reservations.startCheckout(id, { actor: customer.actor });
      world.payments.pay(sessionId, { amount: 300 });
      await world.settle();
      expect(await world.status(id)).toBe('hold');
      expect((await world.reservations.listAlerts()).map(({ rule }) => rule)).toEqual(['payment-differs']);
      await world.advance(15 * minute);
      await world.reservations.expireHolds();
      await world.settle();
      expect(await world.status(id)).toBe('expired');
      expect(world.payments.refunds).toMatchObject([{ amount: 300 }]);
      await world.reservations.checkAlerts();
      expect(await world.reservations.listAlerts()).toEqual([]);
    },
  },
  {
    number: 61,
    name: 'events of others on our endpoint are answered, counted and left alone',
    async run(world) {
      const event = { id: 'evt_x', type: 'invoice.paid', createdAtMs: world.nowMs(), livemode: false };
      await world.deliver({ ...event, subject: { kind: 'other' } });
      expect(await world.reservations.workEvents()).toEqual({ done: 0, parked: 0 });
      expect(await world.rows('select id, state from @stripe_events')).toEqual([{ id: 'evt_x', state: 'ignored' }]);
    },
  },
];
