/**
 * The 720 orders of the six events about one payment, with copies: every one reaches the same end. Each order is a
 * reservation of its own; round by round each hears its next event, and what waits is worked on. The short form takes
 * orders from all over the list; the long form takes all: `npm run faults -- reservation-orders`.
 */
import { expect, it } from 'vitest';
import type { PaymentEvent } from '../../src/systems/reservations/payment-port.ts';
import { type BookingWorld, minute } from './booking-world.ts';
import { engineSuite } from './engine-suite.ts';

const hour = 60 * minute;
const orderCount = Number(process.env.KANNUKI_FAULTS_RESERVATION_ORDERS ?? 48);

function permutations<T>(list: readonly T[]): readonly (readonly T[])[] {
  if (list.length <= 1) return [list];
  return list.flatMap((one, i) =>
    permutations([...list.slice(0, i), ...list.slice(i + 1)]).map((rest) => [one, ...rest]),
  );
}

/** A voucher is chosen and paid, the bank disputes and loses, a person refunds a third: six events, all still to come. */
async function tell(world: BookingWorld, slot: number): Promise<readonly PaymentEvent[]> {
  const customer = await world.addCustomer();
  const id = await world.hold(customer, slot);
  const { sessionId } = await world.reservations.startCheckout(id, { actor: customer.actor });
  world.payments.chooseVoucher(sessionId, hour);
  world.payments.payVoucher(sessionId);
  const paymentIntentId = world.payments.sessions.get(sessionId)?.paymentIntentId ?? '';
  const dispute = world.payments.dispute(paymentIntentId);
  world.payments.closeDispute(dispute.id, 'won');
  world.payments.refundOutside(paymentIntentId, 1_000);
  const events = world.payments.events.splice(0);
  const [first] = events;
  if (!first) throw new Error('the provider sent nothing');
  // The same fact under another name.
  return [...events, { ...first, id: `${first.id}_intent`, type: 'payment_intent.succeeded' }];
}

export const paymentPermutations = engineSuite('All orders of the six payment events', (engine) => {
  it('with up to two copies each, reach one end', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const world = await engine.open({ delayedMethods: true });
    const all = permutations([0, 1, 2, 3, 4, 5]);
    const orders = all.filter((_, i) => i % Math.ceil(all.length / Math.min(orderCount, all.length)) === 0);
    const lines: PaymentEvent[][] = [];
    for (const [i, order] of orders.entries()) {
      const events = await tell(world, i + 1);
      expect(events).toHaveLength(6);
      const line = order.map((at) => events[at] as PaymentEvent);
      // Copies: the same event again, or the same fact in an event of its own, anywhere.
      for (const event of events) {
        if (!world.random.chance(0.5)) continue;
        const copy = world.random.chance(0.5) ? event : { ...event, id: `${event.id}_again` };
        line.splice(world.random.integer(0, line.length), 0, copy);
      }
      lines.push(line);
    }
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
    await world.settle();
    const ends = await world.rows(
      `select r.status, p.state, p.settled, p.dispute_state, p.disputed_amount,
           (select string_agg(f.origin || f.amount || f.state, ',') from @refunds f where f.payment_id = p.id) as refunds,
           (select string_agg(n.template || n.state, ',' order by n.template) from @notifications n
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
        mails: 'reservation-confirmedsent',
        n: orders.length,
      },
    ]);
    expect(await world.rows(`select id, note from @stripe_events where state = 'received'`)).toEqual([]);
  }, 3_600_000);
});
