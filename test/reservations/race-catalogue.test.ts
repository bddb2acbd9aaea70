/**
 * The catalogue of races, by the numbers of `docs/internals/reservations.md`. Each row that can occur here is a named
 * scenario; rows that have a test of their own elsewhere are not repeated.
 */
import { expect, it } from 'vitest';
import { AppError } from '../../src/systems/reservations/app-error.ts';
import { admin, type BookingWorld, type Customer, minute, today, type WorldOptions } from './booking-world.ts';
import { onEveryEngine } from './on-every-engine.ts';

const hour = 60 * minute;

interface Race {
  readonly number: number;
  readonly name: string;
  readonly options?: WorldOptions;
  run(world: BookingWorld): Promise<void>;
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'fine',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

async function paid(
  world: BookingWorld,
  slot = 1,
  day = today,
): Promise<{ id: number; customer: Customer; intent: string }> {
  const customer = await world.addCustomer();
  const id = await world.hold(customer, slot, { day });
  const sessionId = await world.pay(id, customer);
  await world.settle();
  return { id, customer, intent: world.payments.sessions.get(sessionId)?.paymentIntentId ?? '' };
}

const refundStates = async (world: BookingWorld): Promise<readonly string[]> =>
  (await world.rows<{ state: string }>('select state from @refunds order by id')).map(({ state }) => state);

const templates = (world: BookingWorld): readonly string[] => world.mails.map(({ template }) => template);

const races: readonly Race[] = [
  {
    number: 2,
    name: 'the same key again gives the same answer, and does not restart the clock',
    async run(world) {
      const { videoId, actor } = await world.addCustomer();
      const input = { videoId, projectionDate: today, slotNumber: 1, idempotencyKey: world.key() };
      const first = await world.reservations.holdSlot(input, { actor });
      await world.advance(5 * minute);
      expect(await world.reservations.holdSlot(input, { actor })).toEqual({ ...first, replayed: true });
    },
  },
  {
    number: 3,
    name: 'the same key with another request is refused, in every state',
    async run(world) {
      const customer = await world.addCustomer();
      const key = world.key();
      const id = await world.hold(customer, 1, { key });
      expect(await codeOf(world.hold(customer, 2, { key }))).toBe('IDEMPOTENCY_KEY_REUSED');
      await world.reservations.cancelReservation(id, { actor: customer.actor });
      expect(await codeOf(world.hold(customer, 2, { key }))).toBe('IDEMPOTENCY_KEY_REUSED');
      expect(await world.hold(customer, 1, { key })).toBe(id);
    },
  },
  {
    number: 7,
    name: 'an overdue hold without a session is freed by the next customer, at once',
    async run(world) {
      const [a, b] = [await world.addCustomer(), await world.addCustomer()];
      const first = await world.hold(a);
      await world.advance(15 * minute);
      const second = await world.hold(b);
      expect([await world.status(first), await world.status(second)]).toEqual(['expired', 'hold']);
      expect(world.payments.calls).toEqual([]);
    },
  },
  {
    number: 8,
    name: 'two sweepers at once emit one set of effects',
    async run(world) {
      for (let slot = 1; slot <= 6; slot++) {
        const customer = await world.addCustomer();
        const id = await world.hold(customer, slot);
        if (slot % 2) await world.reservations.startCheckout(id, { actor: customer.actor });
      }
      await world.advance(15 * minute);
      const sweeps = await Promise.all([1, 2, 3].map(() => world.reservations.expireHolds()));
      expect(sweeps.reduce((sum, { expired, expiring }) => sum + expired + expiring, 0)).toBe(6);
      await world.settle();
      expect(world.payments.calls.filter(({ call }) => call === 'expireSession')).toHaveLength(3);
    },
  },
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
    number: 10,
    name: 'the session is closed at the provider before the slot is free',
    async run(world) {
      const [a, b] = [await world.addCustomer(), await world.addCustomer()];
      const id = await world.hold(a);
      const { sessionId } = await world.reservations.startCheckout(id, { actor: a.actor });
      await world.advance(15 * minute);
      expect(await codeOf(world.hold(b))).toBe('SLOT_SETTLING');
      expect(world.payments.sessions.get(sessionId)?.status).toBe('open');
      await world.drain();
      expect(world.payments.sessions.get(sessionId)?.status).toBe('expired');
      expect(await codeOf(world.hold(b))).toBe('fine');
      expect(world.payments.pay(sessionId)).toBe(false);
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
      await world.rows(world.context.sql.claimEvents, [10, 60_000]);
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
    number: 29,
    name: 'cancelled before the webhook: never resurrected, refunded once',
    async run(world) {
      const customer = await world.addCustomer();
      const id = await world.hold(customer);
      await world.pay(id, customer);
      await world.reservations.cancelReservation(id, { actor: customer.actor });
      await world.settle();
      expect(await world.status(id)).toBe('cancelled');
      expect(world.payments.refunds).toHaveLength(1);
      expect(templates(world)).toEqual(['reservation-cancelled-refunded']);
    },
  },
  {
    number: 30,
    name: 'customer, house and render window cancel at once: one refund',
    options: { renderTries: 1 },
    async run(world) {
      world.render.plan = 'unreachable';
      const { id, customer } = await paid(world, 1, '2027-03-10');
      await world.advance(25 * hour);
      await Promise.allSettled([
        world.reservations.cancelReservation(id, { actor: customer.actor }),
        world.reservations.cancelReservation(id, { actor: admin }),
        world.reservations.checkFailedRenders(),
      ]);
      await world.settle();
      expect(await world.status(id)).toBe('cancelled');
      expect(world.payments.refunds).toHaveLength(1);
    },
  },
  {
    number: 31,
    name: 'a refund call without an answer is repeated with the same key',
    async run(world) {
      const { id, customer } = await paid(world);
      await world.reservations.cancelReservation(id, { actor: customer.actor });
      world.payments.fault = (call, when) => call === 'createRefund' && when === 'before';
      await world.drain();
      world.payments.fault = undefined;
      await world.advance(minute);
      await world.settle();
      const keys = world.payments.calls.filter(({ call }) => call === 'createRefund').map(({ key }) => key);
      expect(keys).toHaveLength(2);
      expect(new Set(keys).size).toBe(1);
      expect(await refundStates(world)).toEqual(['succeeded']);
    },
  },
  {
    number: 33,
    name: 'refunded by a person at the provider already: success, nothing is sent',
    async run(world) {
      const { id, customer, intent } = await paid(world);
      await world.reservations.cancelReservation(id, { actor: customer.actor });
      world.payments.refundOutside(intent, 3_000);
      await world.settle();
      expect(world.payments.refunds).toHaveLength(1);
      expect(await refundStates(world)).toContain('superseded');
      expect(await world.reservations.auditMoney()).toMatchObject({ balanced: true });
    },
  },
  {
    number: 34,
    name: 'a refund that is pending, then fails, is tried again under another key; the customer hears the truth',
    async run(world) {
      const { id, customer } = await paid(world);
      world.payments.refundPlan = 'pending';
      await world.reservations.cancelReservation(id, { actor: customer.actor });
      await world.settle();
      expect(await refundStates(world)).toEqual(['pending']);
      world.payments.refundPlan = 'succeeded';
      world.payments.endRefund(world.payments.refunds[0]?.id ?? '', 'failed');
      await world.settle();
      expect(await refundStates(world)).toEqual(['wanted']);
      await world.advance(hour);
      await world.settle();
      expect(await refundStates(world)).toEqual(['succeeded']);
      expect(world.payments.refunds.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
      const keys = world.payments.calls.filter(({ call }) => call === 'createRefund').map(({ key }) => key);
      expect(new Set(keys).size).toBe(2);
    },
  },
  {
    number: 34,
    name: 'a refund that needs an account is told so',
    async run(world) {
      const { id, customer } = await paid(world);
      world.payments.refundPlan = 'requires_action';
      await world.reservations.cancelReservation(id, { actor: customer.actor });
      await world.settle();
      expect(templates(world)).toContain('refund-needs-account');
      world.payments.endRefund(world.payments.refunds[0]?.id ?? '', 'succeeded');
      await world.settle();
      expect(await refundStates(world)).toEqual(['succeeded']);
      expect(templates(world)).toContain('reservation-cancelled-refunded');
    },
  },
  {
    number: 36,
    name: 'our own refund, echoed by a webhook, changes nothing; refunded in part by a person, a person is told',
    async run(world) {
      const { id, intent } = await paid(world);
      world.payments.refundOutside(intent, 1_000);
      await world.settle();
      expect(await world.status(id)).toBe('confirmed');
      expect((await world.reservations.listAlerts()).map(({ rule }) => rule)).toEqual(['refunded-in-part']);
      world.payments.refundOutside(intent, 2_000);
      await world.settle();
      expect(await world.status(id)).toBe('cancelled');
      expect(world.payments.calls.filter(({ call }) => call === 'createRefund')).toEqual([]);
      expect(await world.reservations.auditMoney()).toMatchObject({ balanced: true });
    },
  },
  {
    number: 37,
    name: 'a dispute freezes the refund; won, it goes on; lost, the bank has done it',
    async run(world) {
      for (const status of ['won', 'lost'] as const) {
        const { id, customer, intent } = await paid(world, status === 'won' ? 1 : 2);
        const dispute = world.payments.dispute(intent);
        await world.settle();
        expect((await world.reservations.listAlerts()).map(({ rule }) => rule)).toContain('dispute');
        await world.reservations.cancelReservation(id, { actor: customer.actor });
        await world.advance(2 * hour);
        await world.settle();
        expect(world.payments.refunds.filter((refund) => refund.paymentIntentId === intent)).toEqual([]);
        world.payments.closeDispute(dispute.id, status);
        await world.settle();
        await world.advance(2 * hour);
        await world.settle();
        const made = world.payments.refunds.filter((refund) => refund.paymentIntentId === intent);
        expect(made).toHaveLength(status === 'won' ? 1 : 0);
        expect((await refundStates(world)).at(-1)).toBe(status === 'won' ? 'succeeded' : 'superseded');
      }
      expect(await world.reservations.auditMoney()).toMatchObject({ balanced: true });
      await world.reservations.checkAlerts();
      expect(await world.reservations.listAlerts()).toEqual([]);
    },
  },
  {
    number: 39,
    name: 'a refund that the provider refuses again and again is parked for a person, and can be tried again',
    options: { refundFailuresMax: 2 },
    async run(world) {
      const { id, customer } = await paid(world);
      world.payments.refundPlan = 'refused';
      await world.reservations.cancelReservation(id, { actor: customer.actor });
      for (let i = 0; i < 4; i++) {
        await world.settle();
        await world.advance(2 * hour);
      }
      expect(await refundStates(world)).toEqual(['manual']);
      expect(world.told).toMatchObject([{ rule: 'refund-manual', level: 'critical' }]);
      const sent = world.payments.calls.filter(({ call }) => call === 'createRefund');
      expect(sent).toHaveLength(2);
      world.payments.refundPlan = 'succeeded';
      const [payment] = await world.rows<{ id: number }>('select id from @payments');
      await world.reservations.processRefund(payment?.id ?? 0, { actor: admin });
      await world.settle();
      expect(await refundStates(world)).toEqual(['succeeded']);
      await world.reservations.checkAlerts();
      expect(await world.reservations.listAlerts()).toEqual([]);
    },
  },
  {
    number: 44,
    name: 'a mail that has become untrue is dropped with a reason',
    async run(world) {
      const customer = await world.addCustomer();
      const id = await world.hold(customer);
      await world.pay(id, customer);
      for (const event of world.payments.events.splice(0)) await world.deliver(event);
      await world.reservations.workEvents();
      await world.reservations.cancelReservation(id, { actor: customer.actor });
      await world.settle();
      expect(templates(world)).toEqual(['reservation-cancelled-refunded']);
      const dropped = await world.rows(`select template, note from @notifications where state = 'dropped'`);
      expect(dropped).toEqual([{ template: 'reservation-confirmed', note: 'the reservation is cancelled by now' }]);
    },
  },
  {
    number: 46,
    name: 'a forged callback of the renderer is refused; a true one is believed after a look',
    async run(world) {
      world.render.plan = 'working';
      const { customer } = await paid(world);
      const { videoId } = customer;
      const [attempt] = await world.rows<{ token: string }>('select token from @render_attempts');
      const renderId = world.render.idOf(videoId, 1);
      const call = (token: string) =>
        world.reservations.handleRenderCallback({
          rawBody: JSON.stringify({ videoId, attempt: 1, renderId }),
          query: { token },
        });
      expect(await codeOf(call('guessed'))).toBe('WEBHOOK_INVALID');
      expect(await call(attempt?.token ?? '')).toEqual({ videoId, ignored: true });
      world.render.end(renderId, 'done');
      expect(await call(attempt?.token ?? '')).toEqual({ videoId, ignored: false });
      const [video] = await world.rows('select status from @videos where id = $1::bigint', [videoId]);
      expect(video).toEqual({ status: 'ready' });
    },
  },
  {
    number: 47,
    name: 'attempt 1 finishes during attempt 2: done is final, and the later failure is nothing',
    async run(world) {
      world.render.plan = 'failed';
      const { customer } = await paid(world);
      const { videoId } = customer;
      await world.advance(16_000);
      await world.drain();
      world.render.plan = 'working';
      await world.advance(minute);
      await world.drain();
      expect(world.render.submitted.map(({ attempt }) => attempt)).toEqual([1, 2]);
      // What looked failed finished after all.
      world.render.end(world.render.idOf(videoId, 1), 'done');
      const [first] = await world.rows<{ token: string }>('select token from @render_attempts where attempt = 1');
      await world.reservations.handleRenderCallback({
        rawBody: JSON.stringify({ videoId, attempt: 1, renderId: world.render.idOf(videoId, 1) }),
        query: { token: first?.token ?? '' },
      });
      world.render.end(world.render.idOf(videoId, 2), 'failed');
      await world.advance(minute);
      await world.drain();
      const [video] = await world.rows('select status from @videos where id = $1::bigint', [videoId]);
      expect(video).toEqual({ status: 'ready' });
    },
  },
  {
    number: 49,
    name: 'the slot begins inside the day for a fix: the window ends with it',
    options: { renderTries: 1 },
    async run(world) {
      world.render.plan = 'unreachable';
      const { id } = await paid(world);
      expect(world.mails.find(({ template }) => template === 'render-delayed')?.data.untilMs).toBe(
        world.nowMs() + 12 * hour,
      );
      await world.advance(12 * hour);
      expect(await world.reservations.checkFailedRenders()).toEqual({ refunded: 1 });
      await world.settle();
      expect(await world.status(id)).toBe('cancelled');
      expect(templates(world)).toContain('render-failed-refunded');
    },
  },
  {
    number: 56,
    name: 'five expiry refunds in an hour are one warning, and it closes by itself',
    async run(world) {
      for (let slot = 1; slot <= 6; slot++) {
        const customer = await world.addCustomer();
        const id = await world.hold(customer, slot);
        const { sessionId } = await world.reservations.startCheckout(id, { actor: customer.actor });
        await world.advance(15 * minute);
        world.payments.pay(sessionId);
        await world.settle();
        await world.reservations.checkAlerts();
        const open = await world.reservations.listAlerts();
        // 15 minutes each: never five within one hour.
        expect(open).toEqual([]);
      }
      for (let slot = 11; slot <= 15; slot++) {
        const customer = await world.addCustomer();
        const id = await world.hold(customer, slot);
        await world.reservations.startCheckout(id, { actor: customer.actor });
      }
      await world.advance(15 * minute);
      for (const session of world.payments.sessions.values()) world.payments.pay(session.id);
      await world.settle();
      for (let i = 0; i < 3; i++) await world.reservations.checkAlerts();
      await world.drain();
      expect(world.told).toMatchObject([{ rule: 'expiry-refunds', level: 'warning' }]);
      await world.advance(2 * hour);
      expect(await world.reservations.checkAlerts()).toEqual({ raised: 0, closed: 1 });
    },
  },
  {
    number: 57,
    name: 'the same key after its hold has expired: the old answer with the status of now, never a new hold',
    async run(world) {
      const { videoId, actor } = await world.addCustomer();
      const input = { videoId, projectionDate: today, slotNumber: 1, idempotencyKey: world.key() };
      const first = await world.reservations.holdSlot(input, { actor });
      await world.advance(15 * minute);
      await world.reservations.expireHolds();
      expect(await world.reservations.holdSlot(input, { actor })).toEqual({
        ...first,
        status: 'expired',
        replayed: true,
      });
    },
  },
  {
    number: 58,
    name: 'one’s own hold under a new key is handed back, and that key keeps its answer',
    async run(world) {
      const customer = await world.addCustomer();
      const id = await world.hold(customer);
      const key = world.key();
      expect(await world.hold(customer, 1, { key })).toBe(id);
      await world.advance(15 * minute);
      await world.reservations.expireHolds();
      expect(await world.hold(customer, 1, { key })).toBe(id);
      expect(await codeOf(world.hold(customer, 2, { key }))).toBe('IDEMPOTENCY_KEY_REUSED');
    },
  },
  {
    number: 59,
    name: 'a key never shows another customer’s booking; keys that are no UUID v4 are refused',
    async run(world) {
      const [a, b] = [await world.addCustomer(), await world.addCustomer()];
      const key = world.key();
      const first = await world.hold(a, 1, { key });
      expect(await codeOf(world.hold(b, 1, { key }))).toBe('SLOT_ALREADY_TAKEN');
      const second = await world.hold(b, 2, { key });
      expect(second).not.toBe(first);
      for (const bad of ['', 'x', `${key}0`, key.replace('-4', '-1')]) {
        expect(await codeOf(world.hold(a, 3, { key: bad }))).toBe('INVALID_ARGUMENT');
      }
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

/** Paid in time, then given up because the provider could not be reached; it answers again now. */
async function givenUp(world: BookingWorld): Promise<{ readonly id: number }> {
  const customer = await world.addCustomer();
  const id = await world.hold(customer);
  await world.pay(id, customer);
  world.payments.events.length = 0;
  world.payments.fault = () => true;
  await world.advance(16 * minute);
  await world.reservations.expireHolds();
  await world.drain();
  await world.advance(11 * minute);
  expect(await world.reservations.expireHolds()).toMatchObject({ givenUp: 1 });
  expect(await world.status(id)).toBe('expired');
  expect((await world.reservations.listAlerts()).map(({ rule }) => rule)).toEqual(['provider-unreachable']);
  world.payments.fault = undefined;
  return { id };
}

async function voucher(
  world: BookingWorld,
  forMs: number,
): Promise<{ readonly id: number; readonly sessionId: string }> {
  const customer = await world.addCustomer();
  const id = await world.hold(customer);
  const { sessionId } = await world.reservations.startCheckout(id, { actor: customer.actor });
  world.payments.chooseVoucher(sessionId, forMs);
  await world.settle();
  expect(await world.status(id)).toBe('payment_pending');
  return { id, sessionId };
}

onEveryEngine('The catalogue of races', (engine) => {
  it.each(races)('$number: $name', async ({ run, options }) => {
    if (engine.missing()) return;
    await run(await engine.open(options ?? {}));
  });
});
