/** Alerts on virtual time: when they are raised and closed, to the second, and how often a receiver hears of them. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { alertNotice } from '../../src/systems/reservations/providers/alert-notice.ts';
import { webhookChannel } from '../../src/systems/telemetry/index.ts';
import { type BookingWorld, minute } from './booking-world.ts';
import { engineSuite } from './engine-suite.ts';

const hour = 60 * minute;

export const alertsSuite = engineSuite('Alerts', (engine) => {
  let receiver: Server;
  let url: string;
  let isDown = false;
  let refusals = 0;
  const received: { readonly id: string; readonly title: string; readonly state: string }[] = [];

  beforeAll(async () => {
    receiver = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (isDown) refusals++;
      else received.push(JSON.parse(body));
      response.writeHead(isDown ? 503 : 200).end();
    });
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/alerts`;
  });
  afterAll(async () => {
    receiver.closeAllConnections();
    await new Promise((closed) => receiver.close(closed));
  });

  const open = (): Promise<BookingWorld> => {
    const channel = webhookChannel({ url });
    return engine.open({
      alerts: { send: (alert) => channel.send(alertNotice(alert)) },
    });
  };
  const rulesOf = async (world: BookingWorld): Promise<readonly string[]> =>
    (await world.reservations.listAlerts()).map(({ rule }) => rule);
  /** Paid at the moment the hold had run out; refunded at this moment of virtual time. */
  const expireRefunds = async (world: BookingWorld, slots: readonly number[]): Promise<void> => {
    for (const slot of slots) {
      const customer = await world.addCustomer();
      const id = await world.hold(customer, slot);
      await world.reservations.startCheckout(id, { actor: customer.actor });
    }
    await world.advance(15 * minute);
    for (const session of world.payments.sessions.values()) world.payments.pay(session.id);
    await world.settle();
  };

  it('four expiry refunds in an hour are none, the fifth is one; at the edge of the hour the first no longer counts', async () => {
    const world = await open();
    await expireRefunds(world, [1]);
    const firstMs = world.nowMs();
    await world.advance(10 * minute);
    await expireRefunds(world, [2, 3, 4]);
    expect(await world.reservations.checkAlerts()).toEqual({ raised: 0, closed: 0 });

    // The fifth, one second before the first falls out of the hour.
    await world.advance(firstMs + hour - 1_000 - 15 * minute - world.nowMs());
    await expireRefunds(world, [5]);
    expect(world.nowMs()).toBe(firstMs + hour - 1_000);
    expect(await world.reservations.checkAlerts()).toEqual({ raised: 1, closed: 0 });
    expect(await world.reservations.checkAlerts()).toEqual({ raised: 0, closed: 0 });
    expect(await rulesOf(world)).toEqual(['expiry-refunds']);

    // Exactly an hour after the first: four are left, and it closes by itself.
    await world.advance(1_000);
    expect(await world.reservations.checkAlerts()).toEqual({ raised: 0, closed: 1 });
    expect(await rulesOf(world)).toEqual([]);
    // A sixth within the hour of the other four is a new alert.
    await expireRefunds(world, [6]);
    expect(await world.reservations.checkAlerts()).toEqual({ raised: 1, closed: 0 });
  });

  it('five that lie an hour apart, to the millisecond, are none', async () => {
    const world = await open();
    await expireRefunds(world, [1]);
    await world.advance(hour - 15 * minute);
    await expireRefunds(world, [2, 3, 4, 5]);
    expect(await world.reservations.checkAlerts()).toEqual({ raised: 0, closed: 0 });
  });

  it('a receiver that is down for an hour gets each alert once', async () => {
    received.length = 0;
    const world = await open();
    isDown = true;
    await expireRefunds(world, [1, 2, 3, 4, 5]);
    await world.reservations.checkAlerts();
    for (let i = 0; i < 12; i++) {
      await world.drain();
      await world.advance(5 * minute);
      await world.reservations.checkAlerts();
    }
    expect(received).toEqual([]);
    expect(refusals).toBeGreaterThan(3);
    isDown = false;
    // Its next try comes by itself; nobody has to do anything.
    for (let i = 0; i < 12 && received.length < 1; i++) {
      await world.advance(5 * minute);
      await world.drain();
    }
    for (let i = 0; i < 12; i++) {
      await world.advance(5 * minute);
      await world.reservations.checkAlerts();
      await world.drain();
    }
    // It closed by itself before anybody could be told: one message, which says so.
    expect(received.map(({ title, state }) => [state, title])).toEqual([['closed', expect.stringContaining('5')]]);
    expect(await world.rows(`select 1 from @reservation_effects where state = 'parked'`)).toEqual([]);
  });
});
