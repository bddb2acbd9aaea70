/** Reservations with real SMTP and with the renderer's HTTP API, each failing in the ways that only a network can. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shotstackRender } from '../../src/systems/reservations/providers/shotstack/shotstack-render.ts';
import { smtpMail } from '../../src/systems/reservations/providers/smtp/smtp-mail.ts';
import { type FakeMail, type MailFault, startFakeMail } from '../../src/testing/providers/fake-mail.ts';
import { type FakeRender, startFakeRender } from '../../src/testing/providers/fake-render.ts';
import { type BookingWorld, type Customer, minute } from './booking-world.ts';
import { engineSuite } from './engine-suite.ts';

export const deliveryFaults = engineSuite('Mail and renders over a network that fails', (engine) => {
  let server: FakeMail;
  let renderer: FakeRender;
  let world: BookingWorld;
  let customer: Customer;

  beforeEach(async () => {
    server = await startFakeMail();
    renderer = await startFakeRender();
    const { host, port } = server;
    const { apiKey, baseUrl } = renderer;
    world = await engine.open({
      mail: await smtpMail({ host, port, tls: 'none', from: 'booking@example.jp', timeoutMs: 1_000 }),
      render: shotstackRender({ apiKey, baseUrl, callbackUrl: 'http://shop.example/renders', timeoutMs: 1_000 }),
    });
    customer = await world.addCustomer();
    await world.rows(`update @videos set source = '{"timeline":{},"output":{}}'`);
  });
  afterEach(async () => {
    await server.close();
    await renderer.close();
  });

  async function confirm(): Promise<number> {
    const id = await world.hold(customer);
    await world.pay(id, customer);
    await world.settle();
    expect(await world.status(id)).toBe('confirmed');
    return id;
  }

  async function live(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      await world.advance(minute);
      await world.drain();
    }
  }

  const notifications = () => world.rows<{ state: string }>('select state from @notifications');

  describe('one mail per cause', () => {
    it.each<[MailFault, number]>([
      ['drop-after', 2],
      ['hang-after', 2],
      ['drop-before', 1],
      ['busy', 1],
      ['refused-sender', 1],
    ])('%s: sent again under the same id', async (fault, copies) => {
      server.fail(fault);
      await confirm();
      await live(3);
      expect([...server.copies.values()]).toEqual([copies]);
      expect(await notifications()).toEqual([{ state: 'sent' }]);
    });

    it('an address that does not exist is asked once', async () => {
      server.fail('unknown-recipient');
      await confirm();
      await live(3);
      expect(server.messages).toEqual([]);
      expect(await notifications()).toEqual([{ state: 'refused' }]);
    });
  });

  describe('one film', () => {
    const videos = () => world.rows('select status, attempt from @videos');
    const callBack = (render = renderer.renders[0]) => {
      const query = Object.fromEntries(new URL(String(render?.edit.callback)).searchParams);
      const rawBody = JSON.stringify({ type: 'edit', action: 'render', id: render?.id, status: 'done' });
      return world.reservations.handleRenderCallback({ rawBody, query });
    };

    it('is found by asking when no callback comes', async () => {
      await confirm();
      expect(await videos()).toEqual([{ status: 'processing', attempt: 1 }]);
      renderer.set(renderer.renders[0]?.id ?? '', 'done');
      await live(1);
      expect(await videos()).toEqual([{ status: 'ready', attempt: 1 }]);
    });

    it('a submission whose answer was lost still counts when it is done', async () => {
      renderer.faults.add({ point: 'drop-after', method: 'POST' });
      await confirm();
      // We do not know it; the renderer works on it all the same, and a second attempt is on its way.
      expect(renderer.renders).toHaveLength(1);
      await live(1);
      expect(renderer.renders).toHaveLength(2);
      const [first] = renderer.renders;
      renderer.set(first?.id ?? '', 'done');
      await callBack(first);
      expect(await videos()).toMatchObject([{ status: 'ready' }]);
      // The second one ends later, and changes nothing.
      renderer.set(renderer.renders[1]?.id ?? '', 'failed');
      await callBack(renderer.renders[1]);
      await live(2);
      expect(await videos()).toMatchObject([{ status: 'ready' }]);
      expect(renderer.renders).toHaveLength(2);
    });

    it('three failures in a row open the window, and the customer hears of it', async () => {
      renderer.faults.add({ point: 'error', method: 'POST', times: 2 });
      await confirm();
      await live(3);
      renderer.set(renderer.renders[0]?.id ?? '', 'failed');
      await live(2);
      expect(await videos()).toEqual([{ status: 'failed', attempt: 3 }]);
      expect([...server.copies.keys()]).toHaveLength(2);
      expect(server.messages.at(-1)?.raw).toContain('multipart/alternative');
    });
  });
});
