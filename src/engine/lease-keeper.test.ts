import { describe, expect, it } from 'vitest';
import { LeaseError } from '../core/errors.ts';
import type { LeaseEvent } from '../core/events.ts';
import { platform } from '../platform/node.ts';
import { memoryStore } from '../stores/memory/memory-store.ts';
import { eventProbe } from '../testing/event-probe.ts';
import { type FakeClock, fakeClock } from '../testing/fake-clock.ts';
import { type FaultyStore, faultyStore } from '../testing/faulty-store.ts';
import type { Lease } from './lease.ts';
import { createLeases, type Leases, type LeasesOptions } from './lease-keeper.ts';

interface Bundle {
  readonly clock: FakeClock;
  readonly store: FaultyStore;
  readonly leases: Leases;
  readonly events: ReturnType<typeof eventProbe<LeaseEvent>>;
  another(options?: Partial<LeasesOptions>): Leases;
}

function setup(options: Partial<LeasesOptions> = {}): Bundle {
  const clock = fakeClock();
  const store = faultyStore({ store: memoryStore({ clock }), clock });
  const events = eventProbe<LeaseEvent>();
  const another = (more: Partial<LeasesOptions> = {}): Leases =>
    createLeases({ store, ttlMs: 1_000, platform: { ...platform, clock }, ...options, ...more });
  return { clock, store, events, another, leases: another({ onEvent: events.record }) };
}

async function held(leases: Leases, key = 'k'): Promise<Lease> {
  const outcome = await leases.acquire(key);
  if (!outcome.acquired) throw new Error(`not granted: ${outcome.reason}`);
  return outcome.lease;
}

describe('trips', () => {
  it('one to acquire, one to release, none for a hand-over inside the process', async () => {
    const { leases, store } = setup();
    const first = await held(leases);
    const second = leases.acquire('k');
    await first.release();
    const outcome = await second;
    expect(outcome.acquired && outcome.lease.token).toBe(first.token + 1);
    if (outcome.acquired) await outcome.lease.release();
    expect(store.history.map(({ op }) => op)).toEqual(['acquire', 'release']);
  });

  it('waiters of one process are served in order, the grant goes back to the store when the block is used up', async () => {
    const { leases, store } = setup();
    const order: number[] = [];
    const work = Array.from({ length: 70 }, (_, i) => leases.withLease('k', {}, () => void order.push(i)));
    await Promise.all(work);
    expect(order).toEqual(Array.from({ length: 70 }, (_, i) => i));
    // 64 sections on the first block; virtual time stands still, so tokens are then ahead of it: one number a grant.
    expect(store.history.filter(({ op }) => op === 'acquire')).toHaveLength(1 + 6);
  });

  it('a try that meets a local holder costs no trip', async () => {
    const { leases, store } = setup();
    const lease = await held(leases);
    const before = store.history.length;
    expect(await leases.tryAcquire('k')).toMatchObject({ acquired: false, reason: 'held', holder: lease.owner });
    expect(store.history).toHaveLength(before);
  });

  it('one renewal for all leases of a keeper', async () => {
    const { leases, store, clock } = setup();
    await Promise.all(['a', 'b', 'c'].map((key) => held(leases, key)));
    await clock.advance(300);
    const renewals = store.history.filter(({ op }) => op === 'renew');
    expect(renewals).toHaveLength(1);
    expect(renewals[0]?.request).toHaveLength(3);
  });
});

describe('a store that hangs', () => {
  it('jeopardy, then lost at the deadline, before the TTL ends; the signal says why', async () => {
    const { leases, store, clock, events } = setup();
    const lease = await held(leases);
    store.hang();
    await clock.advance(700);
    expect(lease.state).toBe('jeopardy');
    expect(lease.isHeld()).toBe(true);
    await clock.advance(101);
    expect(lease.state).toBe('lost');
    expect(lease.signal.aborted).toBe(true);
    expect(lease.signal.reason).toMatchObject({ code: 'lost' });
    expect(await events.next((event) => event.type === 'lost')).toMatchObject({ reason: { kind: 'deadline' } });
    expect(await lease.release()).toBe(false);
  });

  it('recovers from jeopardy when an answer comes in time', async () => {
    const { leases, store, clock, events } = setup();
    const lease = await held(leases);
    store.hang();
    await clock.advance(600);
    store.resume();
    await clock.advance(1);
    expect(lease.state).toBe('held');
    await events.next((event) => event.type === 'recovered');
    await clock.advance(2_000);
    expect(lease.isHeld()).toBe(true);
  });

  it('a wait with a limit ends with the store’s failure, not with "held"', async () => {
    const { leases, store, clock } = setup();
    store.hang();
    const waiting = leases.acquire('k', { waitMs: 3_000 }).then(
      () => 'granted',
      (error: unknown) => error,
    );
    await clock.advance(3_001);
    expect(await waiting).toMatchObject({ code: 'store-unavailable', retryable: true });
  });

  it('a release does not hang, and is told as an event', async () => {
    const { leases, store, clock, events } = setup();
    const lease = await held(leases);
    store.hang();
    const released = lease.release();
    await clock.advance(900);
    expect(await released).toBe(false);
    await events.next((event) => event.type === 'release-failed');
  });

  it('close does not hang either', async () => {
    const { leases, store, clock } = setup();
    await held(leases);
    store.hang();
    const closed = leases.close();
    await clock.advance(5_000);
    await closed;
    expect(clock.pendingTimers()).toBe(0);
  });
});

describe('clocks', () => {
  it('a sleeping laptop: the monotonic clock stood still, the wall clock ends the lease', async () => {
    const { leases, clock } = setup();
    const lease = await held(leases);
    await clock.sleepMachine(5_000);
    expect(lease.isHeld()).toBe(false);
    expect(lease.state).toBe('lost');
    expect(lease.signal.aborted).toBe(true);
  });

  it('a wall clock that is set back does not lengthen a lease', async () => {
    const { leases, store, clock } = setup();
    const lease = await held(leases);
    clock.jumpWall(-3_600_000);
    store.hang();
    await clock.advance(801);
    expect(lease.isHeld()).toBe(false);
  });

  it('clocks that move apart by more than the margin put the lease in jeopardy until renewed', async () => {
    const { leases, clock, events } = setup();
    const lease = await held(leases);
    clock.jumpWall(-500);
    await clock.advance(260);
    await events.next((event) => event.type === 'jeopardy');
    await events.next((event) => event.type === 'recovered');
    expect(lease.state).toBe('held');
  });
});

describe('withLease', () => {
  it('gives the result; the work’s own error wins over a failed release', async () => {
    const { leases, store, clock } = setup();
    expect(await leases.withLease('k', {}, (lease) => lease.token > 0)).toBe(true);
    const failing = leases
      .withLease('k', {}, () => {
        store.hang();
        throw new RangeError('mine');
      })
      .catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(await failing).toBeInstanceOf(RangeError);
  });

  it('work that outlives its lease ends with `lost`', async () => {
    const { leases, store, clock } = setup();
    const running = leases
      .withLease('k', {}, async () => {
        store.hang();
        await clock.advance(2_000);
        return 'done';
      })
      .catch((error: unknown) => error);
    expect(await running).toMatchObject({ code: 'lost', key: 'k' });
  });

  it('says busy or wait-timeout and by whom', async () => {
    const { leases, another, clock } = setup();
    await held(another({ name: 'web-1' }));
    await expect(leases.withLease('k', { waitMs: 0 }, () => undefined)).rejects.toMatchObject({ code: 'busy' });
    const waiting = leases.withLease('k', { waitMs: 100 }, () => undefined).catch((error: unknown) => error);
    await clock.advance(101);
    expect(await waiting).toMatchObject({ code: 'wait-timeout', message: expect.stringContaining('web-1') });
  });

  it('re-entry is an error at once; another key and counted leases are not', async () => {
    const { leases } = setup();
    const attempt = leases.withLease('k', {}, async () => {
      await leases.withLease('other', {}, () => undefined);
      await leases.withLease('k', {}, () => undefined);
    });
    await expect(attempt).rejects.toMatchObject({ code: 'reentry' });
    await leases.withLease('k', { shared: true }, async () => {
      await expect(leases.acquire('k')).rejects.toMatchObject({ code: 'reentry' });
    });
    await leases.withLease('n', { capacity: 2 }, () => leases.withLease('n', { capacity: 2 }, () => undefined));
    expect((await leases.tryAcquire('k')).acquired).toBe(true);
  });

  it('an aborted wait throws the caller’s reason and leaves the line', async () => {
    const { leases, another, store } = setup();
    const other = await held(another());
    const reason = new Error('no longer wanted');
    const controller = new AbortController();
    const waiting = leases
      .withLease('k', { signal: controller.signal }, () => undefined)
      .catch((error: unknown) => error);
    controller.abort(reason);
    expect(await waiting).toBe(reason);
    await other.release();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await store.list({ limit: 10 })).toEqual([]);
  });
});

describe('several keys', () => {
  it('all or none, in one trip, released together', async () => {
    const { leases, another, store } = setup();
    const other = await held(another(), 'b');
    expect(await leases.acquireAll(['c', 'b', 'a'], { waitMs: 0 })).toMatchObject({ acquired: false, key: 'b' });
    expect((await store.list({ limit: 10 })).map(({ key }) => key)).toEqual(['b']);
    await other.release();
    const outcome = await leases.acquireAll(['c', 'b', 'a', 'b']);
    if (!outcome.acquired) throw new Error('not granted');
    expect(outcome.leases.leases.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
    expect(outcome.leases.isHeld()).toBe(true);
    expect(await outcome.leases.release()).toBe(true);
    expect(await store.list({ limit: 10 })).toEqual([]);
  });

  it('the loss of one is the loss of all', async () => {
    const { leases, another, clock } = setup();
    const outcome = await leases.acquireAll(['a', 'b']);
    if (!outcome.acquired) throw new Error('not granted');
    await another().break('b', { by: 'ops', reason: 'stuck' });
    await clock.advance(600);
    expect(outcome.leases.isHeld()).toBe(false);
    expect(outcome.leases.signal.aborted).toBe(true);
    expect(outcome.leases.get('a')?.isHeld()).toBe(true);
  });
});

describe('bad input', () => {
  it.each([
    ['an empty key', (leases: Leases) => leases.acquire('')],
    ['a key of 10 kB', (leases: Leases) => leases.acquire('k'.repeat(10_240))],
    ['TTL 0', (leases: Leases) => leases.acquire('k', { ttlMs: 0 })],
    ['a negative TTL', (leases: Leases) => leases.acquire('k', { ttlMs: -5 })],
    ['TTL NaN', (leases: Leases) => leases.acquire('k', { ttlMs: Number.NaN })],
    ['TTL one year', (leases: Leases) => leases.acquire('k', { ttlMs: 365 * 86_400_000 })],
    ['no keys', (leases: Leases) => leases.acquireAll([])],
    ['shared and counted', (leases: Leases) => leases.acquire('k', { shared: true, capacity: 2 })],
    ['a weight without a capacity', (leases: Leases) => leases.acquire('k', { weight: 2 })],
  ])('%s is refused before anything is sent', async (_what, act) => {
    const { leases, store } = setup();
    await expect(act(leases)).rejects.toMatchObject({ name: 'LeaseError', code: 'invalid-argument' });
    expect(store.history).toEqual([]);
  });

  it('times out of order are refused at construction', () => {
    expect(() => setup({ ttlMs: 1_000, renewDeadlineMs: 1_000 })).toThrow(LeaseError);
    expect(() => setup({ ttlMs: 0 })).toThrow('ttlMs');
  });

  it('a listener that throws does no harm', async () => {
    const { another } = setup();
    const leases = another({
      onEvent() {
        throw new Error('listener');
      },
    });
    await (await held(leases)).release();
  });
});

describe('the end', () => {
  it('closing releases what is held, refuses who waits, and leaves no timer', async () => {
    const { leases, another, clock, store } = setup();
    await held(leases);
    await held(another(), 'theirs');
    const waiting = leases.acquire('theirs').catch((error: unknown) => error);
    await clock.advance(10);
    await leases.close();
    expect(await waiting).toMatchObject({ code: 'closed' });
    await expect(leases.acquire('k')).rejects.toMatchObject({ code: 'closed' });
    expect((await store.list({ limit: 10 })).map(({ key }) => key)).toEqual(['theirs']);
  });

  it('`await using` releases', async () => {
    const { leases, store } = setup();
    {
      await using lease = await held(leases);
      expect(lease.isHeld()).toBe(true);
    }
    expect(await store.list({ limit: 10 })).toEqual([]);
  });
});
