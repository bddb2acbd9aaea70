/** Races of refunds, cancellations and disputes. */
import { expect } from 'vitest';
import { admin, minute } from './booking-world.ts';
import { paid, type Race, refundStates, templates } from './race.ts';

const hour = 60 * minute;

export const refundRaces: readonly Race[] = [
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
      // Its event never comes: the ledger learns of it by looking.
      world.payments.events.length = 0;
      await world.settle();
      expect(world.payments.refunds).toHaveLength(1);
      expect(await refundStates(world)).toEqual(['superseded', 'succeeded']);
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
];
