/** The money audit names what is wrong; retention forgets what it may and nothing else. */
import { expect, it } from 'vitest';
import { admin, minute } from './booking-world.ts';
import { engineSuite } from './engine-suite.ts';

const day = 24 * 60 * minute;

export const books = engineSuite('The books', (engine) => {
  it('balance, and name every row that was tampered with', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const world = await engine.open();
    const ids: number[] = [];
    for (let slot = 1; slot <= 4; slot++) {
      const customer = await world.addCustomer();
      const id = await world.hold(customer, slot);
      await world.pay(id, customer);
      await world.settle();
      if (slot > 2) await world.reservations.cancelReservation(id, { actor: customer.actor });
      ids.push(id);
    }
    await world.settle();
    expect(await world.reservations.auditMoney()).toEqual({
      balanced: true,
      totals: [
        {
          currency: 'jpy',
          paid: 12_000,
          refunded: 6_000,
          owed: 0,
          disputed: 0,
          goodwill: 0,
          live: 6_000,
          undecided: 0,
        },
      ],
      offending: [],
    });
    const of = (id: number | undefined) => `(select id from @payments where reservation_id = ${id})`;
    await world.rows(`delete from @refunds where payment_id = ${of(ids[2])}`);
    await world.rows(`update @refunds set amount = 3001 where payment_id = ${of(ids[3])}`);
    await world.rows(
      `insert into @refunds (payment_id, origin, cause, amount, currency, state, requested_at, checked_at)
       values (${of(ids[0])}, 'automatic', 'cancelled', 3000, 'jpy', 'succeeded', now(), now())`,
    );
    await world.rows(`update @payments set state = 'closed', paid_amount = null where reservation_id = ${ids[1]}`);
    const { balanced, offending } = await world.reservations.auditMoney();
    expect(balanced).toBe(false);
    expect(offending.map(({ reservationId, problem }) => [reservationId, problem])).toEqual([
      [ids[0], 'the reservation stands, and its payment is refunded'],
      [ids[1], 'stands without a payment'],
      [ids[2], 'kept without service'],
      [ids[3], 'more was refunded than paid'],
    ]);
  });

  it('count goodwill after the show apart; only people of the house give it', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const world = await engine.open();
    const customer = await world.addCustomer();
    const id = await world.hold(customer);
    await world.pay(id, customer);
    await world.settle();
    const [payment] = await world.rows<{ id: number }>('select id from @payments');
    const paymentId = payment?.id ?? 0;
    const ask = (actor: typeof admin) => world.reservations.processRefund(paymentId, { actor });
    await expect(ask(admin)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await world.advance(minute);
    await world.settle();
    await world.advance(day);
    await world.reservations.beginSlots();
    expect(await world.status(id)).toBe('served');
    await expect(ask(customer.actor)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(await ask(admin)).toMatchObject({ state: 'wanted', amount: 3_000 });
    expect(await ask(admin)).toMatchObject({ state: 'wanted' });
    await world.settle();
    expect(world.payments.refunds).toHaveLength(1);
    expect(await world.status(id)).toBe('served');
    expect(await world.reservations.auditMoney()).toMatchObject({
      balanced: true,
      totals: [{ paid: 3_000, refunded: 3_000, goodwill: 3_000, live: 0 }],
    });
  });

  it('keep money, keys and events as long as promised, and forget the rest', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const world = await engine.open();
    const customer = await world.addCustomer();
    const id = await world.hold(customer);
    const key = world.key();
    await world.hold(customer, 1, { key });
    await world.pay(id, customer);
    await world.settle();
    const count = async (): Promise<Record<string, number>> => {
      const [row] = await world.rows<Record<string, number>>(
        `select (select count(*) from @stripe_events)::integer as events,
           (select count(*) from @hold_keys)::integer as keys,
           (select count(*) from @reservation_effects where state = 'done')::integer as effects,
           (select count(*) from @reservation_journal)::integer as journal,
           (select count(*) from @payments)::integer as payments,
           (select count(*) from @notifications)::integer as notifications`,
      );
      return row ?? {};
    };
    const before = await count();
    await world.advance(29 * day);
    expect(await world.reservations.forgetOld()).toBe(0);
    expect(await count()).toEqual(before);
    await world.advance(2 * day);
    expect(await world.reservations.forgetOld()).toBeGreaterThan(0);
    expect(await count()).toEqual({ ...before, events: 0, keys: 0, effects: 0 });
    await world.advance(400 * day);
    await world.reservations.forgetOld();
    expect(await count()).toMatchObject({ payments: 1, notifications: before.notifications, journal: 0 });
  });
});
