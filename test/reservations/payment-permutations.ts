/**
 * The 720 orders of the six events about one payment: every one reaches the same end. Each order is a reservation of
 * its own; round by round each hears its next event, and what waits is worked on.
 *
 * Copies: a round doubles some of the six events, by the bits of its number; an order has its copies right behind the
 * event or at the very end, under the same id or under one of their own. The short form is one round in which the orders
 * take turns at all 64 subsets. The long form gives every subset to every order: `npm run faults -- reservation-orders`.
 */
import { expect, it } from 'vitest';
import type { PaymentEvent } from '../../src/systems/reservations/payment-port.ts';
import { faultRounds, reportFault } from '../process/fault-rounds.ts';
import { type BookingWorld, minute } from './booking-world.ts';
import { engineSuite } from './engine-suite.ts';

const hour = 60 * minute;
const rounds = faultRounds('RESERVATION_ORDERS', 1);
const subsets = 64;

function permutations<T>(list: readonly T[]): readonly (readonly T[])[] {
  if (list.length <= 1) return [list];
  return list.flatMap((one, i) =>
    permutations([...list.slice(0, i), ...list.slice(i + 1)]).map((rest) => [one, ...rest]),
  );
}

/** All 720 in the long form; every fifth in the short one, which begins with each of the six. */
const orders = permutations([0, 1, 2, 3, 4, 5]).filter((_, i) => rounds > 1 || i % 5 === 0);

/**
 * A voucher is chosen in time and paid after the hold's deadline, the bank disputes and loses, a person refunds a third:
 * six events about each, all still to come.
 */
async function tell(world: BookingWorld, count: number): Promise<readonly (readonly PaymentEvent[])[]> {
  const { payments, reservations } = world;
  const customers = await world.addCustomers(count);
  const sessionIds = await Promise.all(
    customers.map(async (customer, i) => {
      const id = await world.hold(customer, i + 1);
      return (await reservations.startCheckout(id, { actor: customer.actor })).sessionId;
    }),
  );
  for (const sessionId of sessionIds) payments.chooseVoucher(sessionId, 3 * hour);
  await world.advance(20 * minute);
  const intents = sessionIds.map((sessionId) => {
    payments.payVoucher(sessionId);
    const paymentIntentId = payments.sessions.get(sessionId)?.paymentIntentId ?? '';
    payments.closeDispute(payments.dispute(paymentIntentId).id, 'won');
    payments.refundOutside(paymentIntentId, 1_000);
    return paymentIntentId;
  });
  const events = payments.events.splice(0);
  return sessionIds.map((sessionId, i) => {
    const about = events.filter(({ subject }) =>
      subject.kind === 'session'
        ? subject.sessionId === sessionId
        : 'paymentIntentId' in subject && subject.paymentIntentId === intents[i],
    );
    const [first] = about;
    if (!first) throw new Error('the provider sent nothing');
    // The same fact under another name.
    return [...about, { ...first, id: `${first.id}_intent`, type: 'payment_intent.succeeded' }];
  });
}

/** The events in this order, those of the subset twice. */
function lineUp(events: readonly PaymentEvent[], order: readonly number[], subset: number, way: number) {
  const line: PaymentEvent[] = [];
  const late: PaymentEvent[] = [];
  for (const at of order) {
    const event = events[at] as PaymentEvent;
    line.push(event);
    if ((subset & (1 << at)) === 0) continue;
    const copy = (way & 1) === 0 ? event : { ...event, id: `${event.id}_again` };
    ((way & 2) === 0 ? line : late).push(copy);
  }
  return [...line, ...late];
}

export const paymentPermutations = engineSuite('All orders of the six payment events', (engine) => {
  it('with up to two copies each, reach one end', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    let heard = 0;
    for (let round = 0; round < rounds; round++) {
      const world = await engine.open({ delayedMethods: true });
      const told = await tell(world, orders.length);
      const lines = orders.map((order, i) => {
        const events = told[i] ?? [];
        expect(events).toHaveLength(6);
        const subset = rounds === 1 ? i % subsets : round % subsets;
        // Copies under an id of their own cost as much as news: in the short form every eighth order has them.
        const way = rounds === 1 ? (i % 8 === 0 ? 1 : 0) + (i & 2) : i & 3;
        return lineUp(events, order, subset, way);
      });
      heard += lines.reduce((sum, line) => sum + line.length, 0);
      while (lines.some((line) => line.length > 0)) {
        await Promise.all(
          lines.map(async (line) => {
            const event = line.shift();
            if (event) await world.deliver(event);
          }),
        );
        while ((await world.reservations.workEvents({ limit: 1_000 })).done > 0);
      }
      await world.advance(hour);
      // What was parked comes back; the mails are written down, and sending them is tested elsewhere.
      while ((await world.reservations.workEvents({ limit: 1_000 })).done > 0);
      const ends = await world.rows(
        `select r.status, p.state, p.settled, p.dispute_state, p.disputed_amount,
           (select string_agg(f.origin || f.amount || f.state, ',') from @refunds f where f.payment_id = p.id) as refunds,
           (select string_agg(n.template, ',' order by n.template) from @notifications n
            where n.reservation_id = r.id and n.template <> 'payment-pending') as mails,
           count(*)::integer as n
         from @reservations r join @payments p on p.reservation_id = r.id
         group by 1, 2, 3, 4, 5, 6, 7`,
      );
      expect(ends).toEqual([
        {
          status: 'confirmed',
          state: 'paid',
          settled: true,
          dispute_state: 'won',
          disputed_amount: 0,
          refunds: 'outside1000succeeded',
          mails: 'reservation-confirmed',
          n: orders.length,
        },
      ]);
      expect(await world.rows(`select id, note from @stripe_events where state = 'received'`)).toEqual([]);
    }
    reportFault({ experiment: 'orders', orders: orders.length, rounds, heard });
  }, 7_200_000);
});
