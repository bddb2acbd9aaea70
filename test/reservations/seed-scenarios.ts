/** The five conflicts that the product began with, by name, on every engine. */
import { expect, it } from 'vitest';
import { admin, minute, today } from './booking-world.ts';
import { engineSuite } from './engine-suite.ts';

const hour = 60 * minute;

export const seedScenarios = engineSuite('The five scenarios', (engine) => {
  it('1: a payment that arrives after the hold has expired is refunded, told and journalled', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const world = await engine.open();
    const customer = await world.addCustomer();
    const id = await world.hold(customer);
    const { sessionId } = await world.reservations.startCheckout(id, { actor: customer.actor });
    await world.advance(16 * minute);
    // Paid before the sweep could close the session, after the deadline.
    expect(world.payments.pay(sessionId)).toBe(true);
    await world.reservations.expireHolds();
    await world.settle();

    expect(await world.status(id)).toBe('expired');
    expect(world.payments.refunds).toMatchObject([{ amount: 3_000, status: 'succeeded' }]);
    expect(world.mails.map(({ template, data }) => [template, data.refundAmount])).toEqual([
      ['reservation-expired-refunded', 3_000],
    ]);
    expect(await world.reservations.listRaces()).toMatchObject([
      {
        event: 'RACE_CONDITION_DETECTED',
        scenario: 'EXPIRED_AFTER_PAYMENT',
        reservationId: id,
        resolution: 'REFUNDED',
        timestamp: world.nowMs(),
      },
    ]);
    const log = await world.rows<{ event: string }>(
      `select event from @reservation_journal where event = 'EXPIRED_RESERVATION_REFUNDED'`,
    );
    expect(log).toHaveLength(1);
    expect(await world.reservations.auditMoney()).toMatchObject({ balanced: true });
  });

  it('1b: paid in minute 14, webhook in minute 16: the charge time decides, and it is served', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const world = await engine.open();
    const customer = await world.addCustomer();
    const id = await world.hold(customer);
    await world.advance(14 * minute);
    await world.pay(id, customer);
    await world.advance(2 * minute);
    await world.reservations.expireHolds();
    expect(await world.status(id)).toBe('expiring');
    await world.settle();
    expect(await world.status(id)).toBe('confirmed');
    await world.advance(minute);
    await world.settle();
    await world.advance(12 * hour);
    await world.reservations.beginSlots();
    expect(await world.status(id)).toBe('served');
    expect(world.payments.refunds).toEqual([]);
  });

  it('2: two customers want one slot: one hold, one clear answer, one race record', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const world = await engine.open();
    const [a, b] = [await world.addCustomer(), await world.addCustomer()];
    const results = await Promise.allSettled([world.hold(a), world.hold(b)]);
    const won = results.filter((result) => result.status === 'fulfilled');
    const lost = results.filter((result) => result.status === 'rejected');
    expect(won).toHaveLength(1);
    expect(lost).toMatchObject([
      { reason: { code: 'SLOT_ALREADY_TAKEN', message: 'このスロットは既に予約されています' } },
    ]);
    expect(await world.reservations.listRaces()).toMatchObject([{ scenario: 'SLOT_CONFLICT', resolution: 'RETRY' }]);
  });

  it('3: a render that fails three times opens a window; a day later the money goes back', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const world = await engine.open();
    const customer = await world.addCustomer();
    const id = await world.hold(customer, 1, { day: '2027-03-05' });
    world.render.plan = 'failed';
    await world.pay(id, customer);
    await world.settle();
    for (let i = 0; i < 8; i++) {
      await world.advance(minute);
      await world.settle();
    }
    expect(world.render.submitted.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(world.mails.map(({ template }) => template)).toEqual(['reservation-confirmed', 'render-delayed']);
    expect(world.told).toMatchObject([{ rule: 'render-manual', level: 'critical' }]);
    await world.advance(23 * hour);
    expect(await world.reservations.checkFailedRenders()).toEqual({ refunded: 0 });
    expect(await world.status(id)).toBe('confirmed');
    await world.advance(2 * hour);
    expect(await world.reservations.checkFailedRenders()).toEqual({ refunded: 1 });
    await world.settle();
    expect(await world.status(id)).toBe('cancelled');
    expect(world.payments.refunds).toMatchObject([{ amount: 3_000, status: 'succeeded' }]);
    expect(world.mails.map(({ template }) => template)).toContain('render-failed-refunded');
    const races = await world.reservations.listRaces();
    expect(races.map(({ scenario, resolution }) => `${scenario} ${resolution}`).reverse()).toEqual([
      'RENDER_FAILURE RETRY',
      'RENDER_FAILURE RETRY',
      'RENDER_FAILURE MANUAL_REQUIRED',
      'RENDER_FAILURE REFUNDED',
    ]);
    const log = await world.rows(`select 1 from @reservation_journal where event = 'RENDER_FAILED_AUTO_REFUND'`);
    expect(log).toHaveLength(1);
    await world.reservations.checkAlerts();
    expect((await world.reservations.listAlerts()).map(({ rule }) => rule)).toEqual(['render-refund']);
  });

  it('3b: a manual fix inside the window stops the clock', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const world = await engine.open({ renderTries: 1 });
    const customer = await world.addCustomer();
    const id = await world.hold(customer, 1, { day: '2027-03-05' });
    world.render.plan = 'unreachable';
    await world.pay(id, customer);
    await world.settle();
    await world.advance(20 * hour);
    const fixed = await world.reservations.markVideoFixed(
      customer.videoId,
      { renderUrl: 'http://127.0.0.1/by-hand.mp4' },
      { actor: admin },
    );
    expect(fixed.status).toBe('ready');
    await world.advance(10 * hour);
    expect(await world.reservations.checkFailedRenders()).toEqual({ refunded: 0 });
    expect(await world.status(id)).toBe('confirmed');
  });

  it('4: the same webhook many times acts once', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const world = await engine.open();
    const customer = await world.addCustomer();
    const id = await world.hold(customer);
    await world.pay(id, customer);
    const [event] = world.payments.events;
    if (!event) throw new Error('the provider sent no event');
    const contentType = 'application/json';
    const input = { rawBody: JSON.stringify(event), signature: 'signed', contentType };
    const answers = await Promise.all(Array.from({ length: 5 }, () => world.reservations.acceptWebhook(input)));
    expect(answers.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    await world.drain();
    expect(await world.reservations.acceptWebhook(input)).toMatchObject({ duplicate: true });
    await world.drain();
    expect(await world.status(id)).toBe('confirmed');
    expect(world.mails.map(({ template }) => template)).toEqual(['reservation-confirmed']);
    expect(world.payments.refunds).toEqual([]);
  });

  it('5: a double click on cancel is one transition and one refund; both callers succeed', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const world = await engine.open();
    const customer = await world.addCustomer();
    const id = await world.hold(customer);
    await world.pay(id, customer);
    await world.settle();
    const { actor } = customer;
    const clicks = await Promise.all([
      world.reservations.cancelReservation(id, { actor }),
      world.reservations.cancelReservation(id, { actor }),
    ]);
    expect(clicks.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(clicks.filter(({ replayed }) => replayed)).toHaveLength(1);
    await world.settle();
    expect(world.payments.refunds).toHaveLength(1);
    expect(world.payments.calls.filter(({ call }) => call === 'createRefund')).toHaveLength(1);
    expect(await world.reservations.listRaces()).toMatchObject([
      { scenario: 'DUPLICATE_CANCEL', resolution: 'REFUNDED' },
    ]);
    await world.advance(24 * hour);
    const other = await world.addCustomer();
    await expect(world.hold(other)).rejects.toMatchObject({ code: 'SLOT_NOT_OFFERED' });
  });

  it('5b: what cannot be cancelled says so', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const world = await engine.open();
    const customer = await world.addCustomer();
    const stranger = await world.addCustomer();
    const id = await world.hold(customer);
    const by = (actor: typeof customer.actor) => world.reservations.cancelReservation(id, { actor });
    await expect(by(stranger.actor)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await world.advance(16 * minute);
    await world.reservations.expireHolds();
    await expect(by(customer.actor)).rejects.toMatchObject({
      code: 'CANNOT_CANCEL',
      message: '予約をキャンセルできません',
    });
    const paid = await world.hold(customer, 2);
    await world.pay(paid, customer);
    await world.settle();
    await world.advance(13 * hour);
    const late = world.reservations.cancelReservation(paid, { actor: customer.actor });
    await expect(late).rejects.toMatchObject({ code: 'CANNOT_CANCEL' });
  });

  it('lists the slots of a day as each customer sees them', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const world = await engine.open();
    const [a, b] = [await world.addCustomer(), await world.addCustomer()];
    const id = await world.hold(a, 2);
    const seen = async (actor: typeof a.actor) => (await world.reservations.listSlots(today, { actor })).slice(0, 3);
    expect((await seen(b.actor)).map(({ availability }) => availability)).toEqual(['free', 'held', 'free']);
    expect((await seen(a.actor))[1]).toMatchObject({ ownReservationId: id, heldUntilMs: world.nowMs() + 15 * minute });
    await world.advance(15 * minute);
    expect((await seen(b.actor))[1]).toMatchObject({ availability: 'settling' });
    expect(await world.reservations.listSlots('2027-03-02', { actor: a.actor })).toEqual([]);
  });
});
