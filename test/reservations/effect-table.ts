/** The built-in effect queue: transactional, at least once, deduplicated. */
import { expect, it } from 'vitest';
import { effectTable } from '../../src/systems/reservations/effect-table.ts';
import type { BookingWorld } from './booking-world.ts';
import { engineSuite } from './engine-suite.ts';

const failing = new Error('planned');

export const effectTableSuite = engineSuite('The effect table', (engine) => {
  const openQueue = async (handler: (n: number) => Promise<'done' | number>, options = {}) => {
    const world = await engine.open();
    const queue = effectTable({ database: world.database, random: world.random, ...options });
    const runs: { key: string; attempt: number }[] = [];
    queue.handle('test', async ({ key, attempt }) => {
      runs.push({ key, attempt });
      const answer = await handler(runs.length);
      return answer === 'done' ? { kind: 'done' } : { kind: 'again', afterMs: answer };
    });
    const put = (key: string, rollBack = false) =>
      world.database
        .transaction(async (tx) => {
          const isNew = await queue.enqueue(tx, 'test', { key }, { key });
          if (rollBack) throw failing;
          return isNew;
        })
        .catch((error: unknown) => {
          if (error !== failing) throw error;
          return undefined;
        });
    return { world, queue, runs, put };
  };
  const stateOf = async (world: BookingWorld): Promise<readonly unknown[]> =>
    world.rows('select key, state, attempts, last_error as error from @reservation_effects order by key');

  it('belongs to the transaction of its cause, and a key is used once', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const { queue, runs, put } = await openQueue(async () => 'done');
    expect(await put('a', true)).toBeUndefined();
    expect(await queue.runDue()).toBe(0);
    expect(await put('a')).toBe(true);
    expect(await put('a')).toBe(false);
    expect(await queue.runDue()).toBe(1);
    expect(await put('a')).toBe(false);
    expect(await queue.runDue()).toBe(0);
    expect(runs).toEqual([{ key: 'a', attempt: 1 }]);
  });

  it('runs each once, however many workers look at the same time', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const { queue, runs, put } = await openQueue(async () => 'done');
    for (let i = 0; i < 40; i++) await put(`k${i}`);
    await Promise.all(Array.from({ length: 6 }, () => queue.runDue()));
    expect(runs).toHaveLength(40);
    expect(new Set(runs.map(({ key }) => key)).size).toBe(40);
  });

  it('tries again after a growing delay, and parks after the last attempt', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const { world, queue, runs, put } = await openQueue(() => Promise.reject(failing), { maxAttempts: 3 });
    await put('a');
    await queue.runDue();
    expect(await queue.runDue()).toBe(0);
    for (let i = 0; i < 5; i++) {
      await world.advance(10_000);
      await queue.runDue();
    }
    expect(runs.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(await stateOf(world)).toEqual([{ key: 'a', state: 'parked', attempts: 3, error: 'planned' }]);
  });

  it('"again" is no failure', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    const { world, queue, runs, put } = await openQueue(async (n) => (n < 4 ? 5_000 : 'done'), { maxAttempts: 1 });
    await put('a');
    for (let i = 0; i < 4; i++) {
      await queue.runDue();
      await world.advance(5_000);
    }
    expect(runs.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1]);
    expect(await stateOf(world)).toMatchObject([{ state: 'done', attempts: 0 }]);
  });

  it('is taken over when its worker says nothing, and the late worker changes nothing', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    let wakeUp = (): void => {};
    const asleep = new Promise<void>((resolve) => (wakeUp = resolve));
    const { world, queue, runs, put } = await openQueue(async (n) => {
      if (n === 1) await asleep;
      return n === 1 ? 60_000 : 'done';
    });
    await put('a');
    const late = queue.runDue();
    while (runs.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(await queue.runDue()).toBe(0);
    await world.advance(121_000);
    expect(await queue.runDue()).toBe(1);
    wakeUp();
    await late;
    expect(await stateOf(world)).toMatchObject([{ state: 'done' }]);
  });

  it('works by itself once started, and stops when closed', async ({ skip }) => {
    if (engine.missing()) return skip(engine.missing());
    let ran = (): void => {};
    const done = new Promise<void>((resolve) => (ran = resolve));
    const { queue, put } = await openQueue(async () => {
      ran();
      return 'done';
    });
    await put('a');
    queue.start(10);
    await done;
    await queue.close();
    expect(() => queue.handle('test', async () => ({ kind: 'done' }))).toThrow(/already/);
  });
});
