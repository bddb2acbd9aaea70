/** Waiting over a bad link: what is asked again, what is given back, and how often, in virtual time. */
import { describe, expect, it } from 'vitest';
import { platform } from '../../platform/node.ts';
import { memoryStore } from '../../stores/memory/memory-store.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import type { CallFault, FaultPlan } from '../../testing/fault-plan.ts';
import { faultyStore } from '../../testing/faulty-store.ts';
import { createLeases, type Leases, type LeasesOptions } from '../lease-keeper.ts';

function setup(plan: FaultPlan = {}, more: Partial<LeasesOptions> = {}) {
  const clock = fakeClock();
  const inner = memoryStore({ clock });
  const link = faultyStore({ store: inner, clock, plan });
  const keeper = (store = inner as LeasesOptions['store']): Leases =>
    createLeases({
      store,
      ttlMs: 1_000,
      platform: { ...platform, clock, random: { ...platform.random, fraction: () => 0.5 } },
      ...more,
    });
  const list = async () => (await inner.list({ limit: 10 })).map(({ key }) => key);
  const ops = (): readonly string[] => link.history.map(({ op }) => op);
  return { clock, inner, link, keeper, holder: keeper(), leases: keeper(link), list, ops };
}

/** The first so many calls of a kind meet the fault. */
function first(op: string, times: number, fault: CallFault): FaultPlan {
  let left = times;
  return { call: (call) => (call.op === op && left-- > 0 ? fault : undefined) };
}

async function heldBy(leases: Leases, key = 'k') {
  const outcome = await leases.acquire(key);
  if (!outcome.acquired) throw new Error(outcome.reason);
  return outcome.lease;
}

describe('a reply that was lost', () => {
  it('is asked for again under the same grant id: one grant, not two', async () => {
    const { clock, leases, link, list } = setup(first('acquire', 1, { kind: 'lost-reply', errorMs: 5 }));
    const waiting = leases.acquire('k');
    await clock.advance(50);
    const outcome = await waiting;
    expect(outcome.acquired).toBe(true);
    const owners = link.history
      .filter(({ op }) => op === 'acquire')
      .map(({ request }) => (request as { owner: string }).owner);
    expect(owners).toHaveLength(2);
    expect(new Set(owners).size).toBe(1);
    if (outcome.acquired) await outcome.lease.release();
    expect(await list()).toEqual([]);
  });

  it('of a try is told as the failure it is, and what it was granted is given back', async () => {
    const { clock, leases, list } = setup(first('acquire', 1, { kind: 'lost-reply', errorMs: 5 }));
    const tried = leases.tryAcquire('k').catch((error: unknown) => error);
    await clock.advance(50);
    expect(await tried).toMatchObject({ code: 'store-unavailable' });
    expect(await list()).toEqual([]);
  });

  it('and comes after the caller has given up: its grant belongs to nobody and is released', async () => {
    const { clock, leases, link, list } = setup();
    link.hang();
    const waiting = leases.acquire('k', { waitMs: 900 }).catch((error: unknown) => error);
    await clock.advance(901);
    expect(await waiting).toMatchObject({ code: 'store-unavailable', retryable: true, key: 'k' });
    link.resume();
    await clock.advance(100);
    expect(await list()).toEqual([]);
  });

  it('what the store refuses for good ends the wait at once', async () => {
    const { clock, leases, link } = setup();
    await link.close();
    const waiting = leases.acquire('k').catch((error: unknown) => error);
    await clock.advance(10);
    expect(await waiting).toBeInstanceOf(Error);
    expect(link.history.filter(({ op }) => op === 'acquire')).toHaveLength(1);
  });
});

describe('a waiter', () => {
  it('is woken by a notice, holds at once without a trip, and renews the short grant early', async () => {
    const { clock, holder, leases, ops } = setup({}, { acceptMs: 400 });
    const lease = await heldBy(holder);
    const waiting = leases.acquire('k');
    await clock.advance(20);
    const asked = ops().length;
    await lease.release();
    await clock.advance(1);
    const outcome = await waiting;
    if (!outcome.acquired) throw new Error(outcome.reason);
    expect(outcome.lease.token).toBeGreaterThan(lease.token);
    expect(ops().slice(asked)).toEqual([]);
    await clock.advance(200);
    expect(ops().slice(asked)).toContain('renew');
    await clock.advance(5_000);
    expect(outcome.lease.isHeld()).toBe(true);
  });

  it('whose notice was lost finds out by asking', async () => {
    const { clock, holder, leases } = setup({ notice: () => ({ kind: 'lost' }) });
    const lease = await heldBy(holder);
    const waiting = leases.acquire('k');
    await clock.advance(20);
    await lease.release();
    await clock.advance(1_100);
    expect((await waiting).acquired).toBe(true);
  });

  it('asks no sooner than its poll while it stands in line, and at the end of the holder’s lease', async () => {
    const { clock, holder, leases, ops, link } = setup({}, { pollMs: 300 });
    await heldBy(holder);
    const waiting = leases.acquire('k', { waitMs: 5_000 });
    await clock.advance(20);
    const asked = ops().length;
    await clock.advance(270);
    expect(ops()).toHaveLength(asked);
    await clock.advance(20);
    expect(ops()).toHaveLength(asked + 1);
    expect(link.history.at(-1)?.op).toBe('acquire');
    await holder.close();
    await clock.advance(10);
    expect((await waiting).acquired).toBe(true);
  });

  it('that gives up leaves the line, and what was handed to it meanwhile goes on', async () => {
    const { clock, holder, leases, ops, list } = setup();
    const lease = await heldBy(holder);
    const waiting = leases.acquire('k', { waitMs: 100 });
    await clock.advance(101);
    expect(await waiting).toMatchObject({ acquired: false, reason: 'timeout', holder: lease.owner });
    await clock.advance(5);
    expect(ops()).toContain('leave');
    await lease.release();
    await clock.advance(5);
    expect(await list()).toEqual([]);
  });

  it('without notices polls, more and more seldom', async () => {
    const { clock, holder, link, keeper, ops } = setup();
    const leases = keeper({ ...link, subscribe: () => Promise.reject(new Error('no notices')) });
    await heldBy(holder);
    void leases.acquire('k', { waitMs: 3_000 });
    await clock.advance(900);
    const times = link.history.filter(({ op }) => op === 'acquire').map(({ sentAtMs }) => sentAtMs);
    const gaps = times.slice(1).map((atMs, i) => atMs - (times[i] as number));
    expect(ops()).toContain('leave');
    expect(Math.max(...gaps)).toBeLessThanOrEqual(150);
    expect(gaps.length).toBeGreaterThan(8);
    expect(gaps.at(-1)).toBeGreaterThan(gaps[1] as number);
    await clock.advance(2_200);
  });
});

describe('a grant that comes too late', () => {
  it('is not used: past our deadline it may be over in the store', async () => {
    const { clock, leases, list } = setup(first('acquire', 1, { kind: 'delay', replyMs: 850 }));
    const waiting = leases.acquire('k');
    await clock.advance(849);
    await clock.advance(200);
    const outcome = await waiting;
    if (!outcome.acquired) throw new Error(outcome.reason);
    expect(outcome.lease.isHeld()).toBe(true);
    await outcome.lease.release();
    await clock.advance(10);
    expect(await list()).toEqual([]);
  });
});
