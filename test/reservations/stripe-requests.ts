/**
 * Reservations with the real `stripe` SDK against the stateful fake: what the provider saw, and what becomes of the
 * money when each call breaks at each point.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stripePayments } from '../../src/systems/reservations/providers/stripe/stripe-payments.ts';
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts';
import { type FakePayments, startFakePayments } from '../../src/testing/providers/fake-payments.ts';
import type { FaultPoint } from '../../src/testing/providers/provider-faults.ts';
import { admin, type BookingWorld, type Customer, minute } from './booking-world.ts';
import { engineSuite } from './engine-suite.ts';

export const stripeRequests = engineSuite('The real SDK', (engine) => {
  const hour = 60 * minute;
  let clock: FakeClock;
  let fake: FakePayments;
  let world: BookingWorld;
  let customer: Customer;

  beforeEach(async () => {
    clock = fakeClock({ startWallMs: 1_803_859_200_000 });
    fake = await startFakePayments({ clock });
    const payments = await stripePayments({ ...fake.stripeOptions, timeoutMs: 1_000 });
    world = await engine.open({ payments, clock });
    customer = await world.addCustomer();
  });

  afterEach(async () => {
    for (const { method, path, idempotencyKey = '' } of fake.requests) {
      // Ours, never one that the SDK invented.
      if (method === 'POST') expect(`${path} ${idempotencyKey}`).toMatch(/ kannuki:(session|close|refund):/);
    }
    await fake.close();
  });

  const posts = (path: string) => fake.requests.filter((seen) => seen.method === 'POST' && seen.path.endsWith(path));

  /** Both clocks, the provider's and the database's. */
  async function pass(ms: number): Promise<void> {
    await clock.advance(ms);
    await world.advance(ms);
  }

  /** Delivers what the provider has to say, then works on everything that is due. */
  let told = 0;
  async function settle(): Promise<void> {
    for (; told < fake.book.state.events.length; told++) {
      const { rawBody, signature } = fake.courier.pack(fake.book.state.events[told] ?? {});
      await world.reservations.acceptWebhook({ rawBody, signature, contentType: 'application/json' });
    }
    await world.drain();
  }
  beforeEach(() => {
    told = 0;
  });

  async function checkOut(): Promise<{ readonly id: number; readonly sessionId: string }> {
    const id = await world.hold(customer);
    const { sessionId } = await world.reservations.startCheckout(id, { actor: customer.actor });
    return { id, sessionId };
  }

  describe('what the provider saw', () => {
    it('one session, however often the page is opened', async () => {
      const { id } = await checkOut();
      await world.reservations.startCheckout(id, { actor: customer.actor });
      expect(posts('/sessions')).toHaveLength(1);
      expect(posts('/sessions')[0]?.params).toMatchObject({ 'metadata[reservationId]': String(id) });
    });

    it('the session is expired before the slot is given to anybody else', async () => {
      const { id, sessionId } = await checkOut();
      await pass(15 * minute + 1_000);
      fake.faults.add({ point: 'drop-before', path: '/expire', times: 1_000 });
      await world.reservations.expireHolds();
      await world.effects.runDue();
      // Asked, not answered: the customer may be paying at this moment.
      expect(posts('/expire').length).toBeGreaterThan(0);
      expect(await world.status(id)).toBe('expiring');
      const other = await world.addCustomer();
      await expect(world.hold(other)).rejects.toMatchObject({ code: 'SLOT_SETTLING' });
      fake.faults.clear();
      await pass(minute);
      await settle();
      expect(await world.status(id)).toBe('expired');
      expect(fake.book.sessions.find(sessionId)).toMatchObject({ value: { status: 'expired' } });
      await expect(world.hold(other)).resolves.toBeGreaterThan(id);
    });

    it('a payment that was first makes the expiry a confirmation', async () => {
      const { id, sessionId } = await checkOut();
      await pass(14 * minute);
      fake.book.sessions.pay(sessionId);
      await pass(2 * minute);
      // No webhook comes.
      await world.reservations.expireHolds();
      await world.drain();
      expect(await world.status(id)).toBe('confirmed');
      expect(fake.book.state.refunds.size).toBe(0);
    });

    it('a refund whose answer was lost is not repeated, even a day later', async () => {
      const { id, sessionId } = await checkOut();
      fake.book.sessions.pay(sessionId);
      await settle();
      fake.faults.add({ point: 'drop-after', path: '/refunds', method: 'POST', times: 2 });
      await world.reservations.cancelReservation(id, { actor: customer.actor });
      await world.effects.runDue();
      expect(fake.book.state.refunds.size).toBe(1);
      const sent = posts('/refunds').length;
      // The provider forgets the key, and no webhook comes; the ledger looks before it asks again.
      await pass(25 * hour);
      await world.drain();
      expect(posts('/refunds')).toHaveLength(sent);
      expect(fake.book.state.refunds.size).toBe(1);
      expect(posts('/refunds')[0]?.params).toMatchObject({ reason: 'requested_by_customer', amount: '3000' });
      expect(await world.rows('select state, provider_refund_id is not null as known from @refunds')).toMatchObject([
        { known: true },
      ]);
      expect(await world.reservations.auditMoney()).toMatchObject({ balanced: true });
    });
  });

  it('a refund that waits is told as complete only when it is', async () => {
    const { id, sessionId } = await checkOut();
    fake.book.sessions.pay(sessionId);
    await settle();
    await pass(minute);
    await world.drain();
    await pass(12 * hour);
    await world.reservations.beginSlots();
    expect(await world.status(id)).toBe('served');
    fake.book.planRefund({ status: 'pending' });
    const [payment] = await world.rows<{ id: number }>('select id from @payments');
    await world.reservations.processRefund(payment?.id ?? 0, { actor: admin });
    await settle();
    const [refund] = fake.book.state.refunds.values();
    expect(refund).toMatchObject({ status: 'pending' });
    expect(world.mails.map(({ template }) => template)).toEqual(['reservation-confirmed']);
    fake.book.refunds.change(refund?.id ?? '', { status: 'succeeded' });
    await settle();
    expect(world.mails.map(({ template }) => template)).toEqual(['reservation-confirmed', 'refund-completed']);
  });

  const points: readonly FaultPoint[] = ['drop-before', 'drop-after', 'hang-after', 'conflict', 'error', 'error-after'];

  /** Everything that happens by itself, for a while. */
  async function live(): Promise<void> {
    for (let turn = 0; turn < 12; turn++) {
      await settle();
      await pass(2 * minute);
      await world.reservations.reconcile();
    }
    await settle();
  }

  /** A fault that nobody met proves nothing. */
  function expectHit(path: string): void {
    expect(posts(path).filter(({ status }) => status !== 200)).not.toEqual([]);
  }

  describe('late money goes back once, whatever breaks', () => {
    const cases = ['/sessions', '/refunds'].flatMap((path) => points.map((point) => [path, point] as const));

    it.each(cases)('%s: %s', async (path, point) => {
      const { actor } = customer;
      const id = await world.hold(customer);
      if (path === '/sessions') fake.faults.add({ point, path, method: 'POST', times: 2 });
      await world.reservations.startCheckout(id, { actor }).catch(() => undefined);
      const { sessionId } = await world.reservations.startCheckout(id, { actor });
      await pass(16 * minute);
      fake.book.sessions.pay(sessionId);
      if (path === '/refunds') fake.faults.add({ point, path, method: 'POST', times: 2 });
      await world.reservations.expireHolds();
      await live();
      expectHit(path);
      expect(await world.status(id)).toBe('expired');
      expect([...fake.book.state.refunds.values()]).toMatchObject([{ amount: 3_000, status: 'succeeded' }]);
      expect([...fake.book.state.sessions.values()].filter(({ status }) => status === 'open')).toEqual([]);
      const mails = world.mails.filter(({ template }) => template === 'reservation-expired-refunded');
      expect(new Set(mails.map(({ key }) => key)).size).toBe(1);
      expect(await world.reservations.auditMoney()).toMatchObject({ balanced: true });
    });
  });

  describe('an unpaid hold ends with its session closed, whatever breaks', () => {
    it.each(points)('%s', async (point) => {
      const { id, sessionId } = await checkOut();
      await pass(16 * minute);
      fake.faults.add({ point, path: '/expire', times: 2 });
      await world.reservations.expireHolds();
      await live();
      expectHit('/expire');
      expect(await world.status(id)).toBe('expired');
      expect(fake.book.sessions.find(sessionId)).toMatchObject({ value: { status: 'expired' } });
      expect(fake.book.state.refunds.size).toBe(0);
      expect(world.mails).toEqual([]);
    });
  });
});
