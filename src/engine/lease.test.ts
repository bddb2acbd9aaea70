import { describe, expect, it } from 'vitest';
import type { LeaseEvent } from '../core/events.ts';
import { platform } from '../platform/node.ts';
import { memoryStore } from '../stores/memory/memory-store.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { faultyStore } from '../testing/faulty-store.ts';
import type { Lease } from './lease.ts';
import { createLeases, type Leases } from './lease-keeper.ts';

function setup() {
  const clock = fakeClock();
  const store = faultyStore({ store: memoryStore({ clock }), clock });
  const events: LeaseEvent[] = [];
  const another = (name: string): Leases =>
    createLeases({
      store,
      name,
      ttlMs: 1_000,
      platform: { ...platform, clock },
      onEvent: (event) => events.push(event),
    });
  const leases = another('web-1');
  const held = async (from = leases): Promise<Lease> => {
    const outcome = await from.acquire('k');
    if (!outcome.acquired) throw new Error(outcome.reason);
    return outcome.lease;
  };
  const told = (type: LeaseEvent['type']): readonly LeaseEvent[] => events.filter((event) => event.type === type);
  return { clock, store, another, held, told };
}

describe('a lease', () => {
  it('says who it is, raises fences with its number, and counts how long it was held', async () => {
    const { clock, held, told, store } = setup();
    const lease = await held();
    expect(lease).toMatchObject({ key: 'k', state: 'held', lostReason: undefined });
    expect(lease.owner).toMatch(/@web-1$/);
    expect(await lease.claim('doc')).toEqual({ claimed: true, token: lease.token });
    expect(store.history.at(-1)).toMatchObject({ op: 'claim', request: { resource: 'doc', token: lease.token } });
    await expect(lease.claim('')).rejects.toMatchObject({ message: expect.stringContaining('A resource must not') });
    await clock.advance(120);
    expect(await lease.release()).toBe(true);
    expect(told('released')).toEqual([{ type: 'released', key: 'k', token: lease.token, heldMs: 120 }]);
  });

  it('that was released is over: no claim, no renewal, no abort, and a second release is the first', async () => {
    const { held, store } = setup();
    const lease = await held();
    const { signal } = lease;
    expect(await Promise.all([lease.release(), lease.release()])).toEqual([true, true]);
    expect([lease.state, lease.isHeld(), signal.aborted]).toEqual(['released', false, false]);
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'lost', key: 'k' }));
    expect(() => lease.assertHeld()).toThrow('was released');
    await expect(lease.claim('doc')).rejects.toMatchObject({ code: 'lost' });
    const sent = store.history.length;
    expect(await lease.renew()).toBe(false);
    expect(store.history).toHaveLength(sent);
  });

  it('is renewed on request, from now on', async () => {
    const { clock, held, store } = setup();
    const lease = await held();
    await clock.advance(100);
    expect(await lease.renew()).toBe(true);
    store.hang();
    await clock.advance(790);
    expect(lease.isHeld()).toBe(true);
    await clock.advance(20);
    expect(lease.isHeld()).toBe(false);
  });

  it('that an operator broke says who and why', async () => {
    const { clock, held, another, told } = setup();
    const lease = await held();
    const signal = lease.signal;
    await another('ops').break('k', { by: 'ada', reason: 'stuck' });
    await clock.advance(600);
    expect(lease.state).toBe('lost');
    expect(lease.lostReason).toMatchObject({ kind: 'broken', by: 'ada', reason: 'stuck' });
    expect(signal.reason).toMatchObject({ code: 'lost', key: 'k' });
    expect(() => lease.assertHeld()).toThrow('ada broke it (stuck)');
    expect(told('lost')).toMatchObject([{ key: 'k', token: lease.token, reason: { kind: 'broken' } }]);
    expect(await lease.release()).toBe(false);
  });

  it('that somebody else holds now says who', async () => {
    const { clock, held, another } = setup();
    const lease = await held();
    await another('ops').break('k', { by: 'ada', reason: 'stuck' });
    await held(another('web-2'));
    await clock.advance(600);
    expect(lease.isHeld()).toBe(false);
    expect(lease.lostReason?.kind).toMatch(/^(taken|broken)$/);
    // Asked for only now, the signal is aborted already.
    expect(lease.signal.aborted).toBe(true);
    expect(lease.signal).toBe(lease.signal);
  });

  it('whose store failed names the failure as the cause, and forgets it when it recovers', async () => {
    const { clock, held, store, told } = setup();
    const lease = await held();
    store.hang();
    await clock.advance(810);
    expect(lease.lostReason).toMatchObject({ kind: 'deadline', cause: expect.any(Error) });
    expect(() => lease.assertHeld()).toThrow('could not be renewed in time');
    expect(lease.signal.reason).toMatchObject({ cause: expect.any(Error) });
    expect(told('jeopardy')).toMatchObject([{ key: 'k', token: lease.token, cause: expect.any(Error) }]);

    const other = setup();
    const second = await other.held();
    other.store.hang();
    await other.clock.advance(600);
    other.store.resume();
    await other.clock.advance(1);
    expect(other.told('recovered')).toEqual([{ type: 'recovered', key: 'k', token: second.token }]);
    await other.clock.sleepMachine(5_000);
    expect(second.isHeld()).toBe(false);
    expect(second.lostReason).toEqual({ kind: 'deadline' });
  });

  it('whoever looks first ends it, when the timer is late', async () => {
    const { clock, held, told } = setup();
    const lease = await held();
    clock.jumpWall(801);
    expect(lease.isHeld()).toBe(false);
    expect(told('lost')).toHaveLength(1);
    expect(lease.state).toBe('lost');
  });
});
