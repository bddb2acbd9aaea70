/** One contract of `withSlotLock` on every engine. Two locks over two pools stand for two processes. */
import { expect, it } from 'vitest';
import { createSlotLock } from '../../src/systems/reservations/slot-lock.ts';
import { today } from './booking-world.ts';
import { engineSuite } from './engine-suite.ts';

export const slotLock = engineSuite('withSlotLock', (engine, name) => {
  it('lets one in at a time per slot, and others beside it', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const { withSlotLock } = (await engine.open()).reservations;
    const inside = new Map<number, number>();
    let most = 0;
    const enter = (slot: number) =>
      withSlotLock(today, slot, async () => {
        const count = (inside.get(slot) ?? 0) + 1;
        inside.set(slot, count);
        most = Math.max(most, count);
        await new Promise((resolve) => setImmediate(resolve));
        inside.set(slot, count - 1);
      });
    await Promise.all(Array.from({ length: 40 }, (_, i) => enter((i % 4) + 1)));
    expect(most).toBe(1);
    // Each leaves only when the other is inside, too.
    const bells = [1, 2].map(() => {
      let ring = (): void => {};
      const rung = new Promise<void>((resolve) => {
        ring = resolve;
      });
      return { ring: () => ring(), rung };
    });
    const meet = (own: number, other: number) =>
      withSlotLock(today, own + 1, async () => {
        bells[own]?.ring();
        await bells[other]?.rung;
        return 'met';
      });
    expect(await Promise.all([meet(0, 1), meet(1, 0)])).toEqual(['met', 'met']);
  });

  it('excludes another process, and gives back when the work throws', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    if (name === 'PGlite') return skip('PGlite belongs to one process');
    const world = await engine.open();
    const other = createSlotLock({ database: { ...world.database }, timeoutMs: 300 });
    await world.reservations.withSlotLock(today, 1, async () => {
      await expect(other(today, 1, async () => 'in')).rejects.toMatchObject({ code: 'LOCK_TIMEOUT', retryable: true });
      expect(await other(today, 2, async () => 'in')).toBe('in');
    });
    const thrown = world.reservations.withSlotLock(today, 1, async () => {
      throw new Error('inside');
    });
    await expect(thrown).rejects.toThrow('inside');
    expect(await other(today, 1, async () => 'in')).toBe('in');
    const locks = await world.rows(`select 1 from pg_locks where locktype = 'advisory'`);
    expect(locks).toEqual([]);
  });

  it('throws on re-entry instead of waiting for itself', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const { withSlotLock } = (await engine.open()).reservations;
    const again = withSlotLock(today, 1, () => withSlotLock(today, 1, async () => 'never'));
    await expect(again).rejects.toMatchObject({ code: 'LOCK_REENTRY' });
    expect(await withSlotLock(today, 1, () => withSlotLock(today, 2, async () => 'both'))).toBe('both');
  });

  it('gives up in the queue of its own process, too', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const world = await engine.open();
    const lock = createSlotLock({ database: world.database, timeoutMs: 50 });
    let leave = (): void => {};
    const first = lock(today, 1, () => new Promise<void>((resolve) => (leave = resolve)));
    await expect(lock(today, 1, async () => 'in')).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    leave();
    await first;
    expect(await lock(today, 1, async () => 'in')).toBe('in');
  });

  it('works around holdSlot, with more callers than connections', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const world = await engine.open({ max: 3 });
    const customers = await Promise.all(Array.from({ length: 12 }, () => world.addCustomer()));
    const results = await Promise.allSettled(
      customers.map((customer) => world.reservations.withSlotLock(today, 1, () => world.hold(customer))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'SLOT_ALREADY_TAKEN' });
    }
  });
});
