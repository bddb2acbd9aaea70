/** Races of renders, and of mails about them. */
import { expect } from 'vitest';
import { minute } from './booking-world.ts';
import { codeOf, paid, type Race, templates } from './race.ts';

const hour = 60 * minute;

export const renderRaces: readonly Race[] = [
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
];
