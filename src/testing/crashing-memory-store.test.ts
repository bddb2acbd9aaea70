import { describe, expect, it } from 'vitest';
import type { AcquireReply, LeaseStore } from '../core/ports.ts';
import { crashingMemoryStore } from './crashing-memory-store.ts';
import { fakeClock } from './fake-clock.ts';

const ttlMs = 10_000;
const acquire = (store: LeaseStore, key: string, owner: string, line = false): Promise<AcquireReply> =>
  store.acquire({ key, owner, ttlMs, line });

describe('crashingMemoryStore', () => {
  it('comes back with everything when nothing is lost', async () => {
    const clock = fakeClock();
    const store = crashingMemoryStore({ clock });
    const granted = await acquire(store, 'k', 'p.1@a');
    await clock.advance(4_000);
    await store.renew([{ key: 'k', owner: 'p.1@a', token: granted.token + 63, ttlMs }]);
    await clock.advance(4_000);
    const before = await store.list({ limit: 10 });
    expect(before[0]?.remainingMs).toBe(6_000);
    expect(store.crash('nothing')).toBe(true);
    expect(await store.list({ limit: 10 })).toEqual(before);
  });

  it('loses the newest grant and what came after it; earlier ones stay', async () => {
    const clock = fakeClock();
    const store = crashingMemoryStore({ clock });
    await acquire(store, 'old', 'p.1@a');
    await clock.advance(10);
    const lost = await acquire(store, 'new', 'p.2@a');
    await store.renew([{ key: 'old', owner: 'p.1@a', token: 1, ttlMs }]);
    expect(store.crash('newest-grant')).toBe(true);
    expect((await store.list({ limit: 10 })).map(({ key }) => key)).toEqual(['old']);
    await clock.advance(1);
    const again = await acquire(store, 'new', 'q.1@b');
    expect(again.granted).toBe(true);
    // The clock half keeps the number above the one that was lost.
    expect(again.token).toBeGreaterThan(lost.token + 63);
  });

  it('loses a grant made by a release, and not a refusal', async () => {
    const clock = fakeClock();
    const store = crashingMemoryStore({ clock });
    const held = await acquire(store, 'k', 'p.1@a');
    await acquire(store, 'k', 'q.1@b', true);
    await store.acquireAll({ keys: ['free', 'k'], owner: 'r.1@c', ttlMs });
    await store.release({ key: 'k', owner: 'p.1@a', token: held.token + 63, acceptMs: 1_000 });
    expect((await store.list({ limit: 1 }))[0]?.owner).toBe('q.1@b');
    store.crash('newest-grant');
    expect((await store.list({ limit: 1 }))[0]).toMatchObject({ owner: 'p.1@a', waiting: 1 });
  });

  it('comes back empty, with its fences', async () => {
    const store = crashingMemoryStore({ clock: fakeClock() });
    await acquire(store, 'k', 'p.1@a');
    await store.claim({ resource: 'r', token: 7 });
    store.crash('everything');
    expect(await store.list({ limit: 10 })).toEqual([]);
    expect(await store.claim({ resource: 'r', token: 6 })).toEqual({ claimed: false, token: 7 });
    expect(store.crash('newest-grant')).toBe(false);
  });

  it('ends subscriptions; new ones hear again, and the past is not told twice', async () => {
    const clock = fakeClock();
    const store = crashingMemoryStore({ clock });
    const heard: string[] = [];
    const before = await store.subscribe('p', () => heard.push('before'));
    await acquire(store, 'k', 'p.1@a');
    expect(before.isLive()).toBe(true);
    store.crash('nothing');
    expect(before.isLive()).toBe(false);
    const after = await store.subscribe('p', () => heard.push('after'));
    await clock.advance(1);
    expect(heard).toEqual([]);
    await store.breakLease({ key: 'k', by: 'b', reason: 'r', acceptMs: 1 });
    await clock.advance(1);
    expect(heard).toEqual(['after']);
    await after.close();
    await before.close();
    expect(after.isLive()).toBe(false);
  });
});
