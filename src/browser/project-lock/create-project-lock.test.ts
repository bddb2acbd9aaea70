import { afterEach, describe, expect, it } from 'vitest';
import {
  closeDoubleTabs,
  type DoubleTab,
  failure,
  openDoubleTab,
  other,
  passing,
  putRecord,
  recordIn,
} from '../../../test/browser/open-double-tab.ts';
import { fakeClock } from '../../testing/index.ts';
import { openProjectLockSession } from './open-project-lock-session.ts';
import type { Channel } from './ports.ts';
import { takeOverProjectLock } from './take-over-project-lock.ts';

afterEach(closeDoubleTabs);

/** Channels of one origin: a message reaches all but its sender. */
function openChannels(): () => Channel {
  const all = new Set<{ readonly hear: (event: { readonly data: unknown }) => void }>();
  return () => {
    const listeners: ((event: { readonly data: unknown }) => void)[] = [];
    const own = { hear: (event: { readonly data: unknown }) => void listeners.map((listener) => listener(event)) };
    all.add(own);
    return {
      postMessage: (data) => {
        for (const channel of all) if (channel !== own) queueMicrotask(() => channel.hear({ data }));
      },
      addEventListener: (_, listener) => void listeners.push(listener),
      close: () => void all.delete(own),
    };
  };
}

function openTwo(): readonly [DoubleTab, DoubleTab] {
  const channels = openChannels();
  const a = openDoubleTab({ channel: channels() });
  const b = openDoubleTab({ ...a, ownerId: 'tab-b', channel: channels() });
  return [a, b];
}

describe('acquire', () => {
  it('a holder by Web Lock has its record too', async () => {
    const { lock, files } = openDoubleTab();
    const { lease } = await lock.acquireProjectLock();
    expect(recordIn(files)).toMatchObject({ leaseId: lease.leaseId, strategy: 'web-lock', token: lease.token });
  });

  it('re-entry is refused, and the rightful holder keeps what it has', async () => {
    const { lock, events } = openDoubleTab();
    const { lease } = await lock.acquireProjectLock();
    const before = lock.snapshot();
    const error = await failure(lock.acquireProjectLock());
    expect(error).toMatchObject({ code: 'lease-mismatch', retryable: false });
    expect(events().at(-1)).toEqual({ type: 'lock:error', operation: 'acquire', error });
    expect(lock.snapshot()).toBe(before);
    expect(lock.isHeld(lease)).toBe(true);
  });

  it('a Web Lock that does not come in time: the file, where the holder is still in the way', async () => {
    const [a, b] = openTwo();
    await a.lock.acquireProjectLock();
    const acquiring = failure(b.lock.acquireProjectLock({ maxWaitMs: 100, retryPolicy: { maxAttempts: 1 } }));
    expect(await passing(a.clock, acquiring)).toMatchObject({ code: 'fallback-conflict', retryable: true });
    expect(b.lock.snapshot()).toMatchObject({ state: 'readonly', readonly: { reason: 'fallback-conflict' } });
    expect(b.types()).toEqual([
      'lock:attempt',
      'lock:warning',
      'lock:attempt',
      'lock:error',
      'lock:warning',
      'lock:readonly-entered',
    ]);
  });

  it('a Web Lock that is denied: told, and the file is used', async () => {
    const { lock, locks, events } = openDoubleTab();
    locks.plan({ reject: 'InvalidStateError' });
    const { didFallback } = await lock.acquireProjectLock();
    expect(didFallback).toBe(true);
    expect(events()[1]).toMatchObject({ type: 'lock:error', error: { code: 'acquire-denied' } });
  });

  it('aborted while it waits between two attempts: idle again', async () => {
    const { lock, clock, files } = openDoubleTab({ locks: null });
    putRecord(files, { ...other, expiresAt: clock.wallMs() + 20_000 });
    const controller = new AbortController();
    const acquiring = failure(lock.acquireProjectLock({ signal: controller.signal }));
    await clock.advance(100);
    controller.abort();
    expect(await acquiring).toMatchObject({ code: 'web-lock-aborted' });
    expect(lock.snapshot()).toEqual({ state: 'idle' });
    expect(clock.pendingTimers()).toBe(0);
  });

  it('aborted between two attempts, after the gate was had: the gate is not asked for again', async () => {
    const { lock, clock, files, types } = openDoubleTab();
    putRecord(files, { ...other, expiresAt: clock.wallMs() + 30_000 });
    const controller = new AbortController();
    const waiting = new Promise<void>((resolve) => {
      lock.subscribeLockEvents(({ type }) => type === 'lock:waiting' && resolve());
    });
    const acquiring = failure(lock.acquireProjectLock({ signal: controller.signal }));
    await waiting;
    const attempts = (): number => types().filter((type) => type === 'lock:attempt').length;
    expect(attempts()).toBe(1);
    controller.abort();
    expect(await acquiring).toMatchObject({ code: 'web-lock-aborted' });
    expect(attempts()).toBe(1);
  });

  it('aborted while it is granted: the record is given back', async () => {
    const { lock, files, clock } = openDoubleTab();
    const controller = new AbortController();
    const held = files.hold('open', '.lock');
    const acquiring = failure(lock.acquireProjectLock({ signal: controller.signal }));
    await held.reached;
    controller.abort();
    held.release();
    expect(await passing(clock, acquiring)).toMatchObject({ code: 'web-lock-aborted' });
    expect(recordIn(files).leaseId).toBeNull();
  });

  it('another tab lets go: no delay is sat out', async () => {
    const channels = openChannels();
    const a = openDoubleTab({ locks: null, channel: channels() });
    const b = openDoubleTab({ clock: a.clock, files: a.files, locks: null, ownerId: 'tab-b', channel: channels() });
    const { lease } = await a.lock.acquireProjectLock();
    const acquiring = b.lock.acquireProjectLock({ retryPolicy: { initialDelayMs: 5000 } });
    await a.clock.advance(100);
    await a.lock.releaseProjectLock({ lease });
    await a.clock.advance(50);
    expect((await acquiring).lease.token).toBe(lease.token + 1);
  });

  it('an unreadable record is built anew by the next attempt, above every token', async () => {
    const { lock, clock, files, events } = openDoubleTab();
    files.put('project/.lock', 'x'.repeat(5000));
    files.put('project/autosave/current.json', JSON.stringify({ token: 2 ** 51, document: '' }));
    const { lease } = await passing(clock, lock.acquireProjectLock());
    expect(events()[1]).toMatchObject({ type: 'lock:error', error: { code: 'fallback-read-failed', retryable: true } });
    expect(lease.token).toBe(2 ** 51 + 1);
    expect(files.read('project/.lock')?.length).toBeLessThanOrEqual(1024);
  });

  it('a file that is kept open is reported as busy', async () => {
    const { lock, clock, files } = openDoubleTab({ locks: null });
    files.put('project/.lock', '');
    const project = await (await files.open()).getDirectoryHandle('project');
    const handle = await (await project.getFileHandle('.lock')).createSyncAccessHandle();
    const acquiring = failure(lock.acquireProjectLock({ retryPolicy: { maxAttempts: 1 } }));
    const error = await passing(clock, acquiring);
    expect(error).toMatchObject({ code: 'acquire-timeout', cause: { code: 'record-busy', retryable: true } });
    handle.close();
  });

  it('rejects a TTL out of bounds and an owner that does not fit', async () => {
    const { lock } = openDoubleTab();
    expect(await failure(lock.acquireProjectLock({ ttlMillis: 10 }))).toMatchObject({ cause: expect.any(RangeError) });
    expect(() => openDoubleTab({ ownerId: '\u0000'.repeat(64) })).toThrow('ownerId is too long');
  });
});

describe('renew', () => {
  it('a beat that starts late is warned of', async () => {
    const clock = fakeClock();
    // Timers of a busy machine: every longer one comes 1.7 s late.
    const late = { ...clock, after: (ms: number, run: () => void) => clock.after(ms < 900 ? ms : ms + 1700, run) };
    const { lock, events } = openDoubleTab({ clock: late });
    await lock.acquireProjectLock();
    await clock.advance(22_000);
    expect(events().slice(2)).toMatchObject([
      { type: 'lock:attempt', operation: 'renew' },
      { type: 'lock:warning', code: 'heartbeat-delayed' },
      { type: 'lock:renew-scheduled' },
      { type: 'lock:renewed' },
    ]);
  });

  it('the machine sleeps, the other clock does not notice: it renews on waking', async () => {
    const { lock, clock, types } = openDoubleTab();
    const { lease } = await lock.acquireProjectLock();
    await clock.sleepMachine(60_000);
    expect(lock.isHeld(lease)).toBe(false);
    await clock.advance(1000);
    expect(types()).toContain('lock:renewed');
    expect(lock.isHeld(lease)).toBe(true);
  });

  it('the clock is set forward past the end: what nobody took is renewed at once', async () => {
    const { lock, clock } = openDoubleTab();
    const { lease } = await lock.acquireProjectLock();
    clock.jumpWall(3_600_000);
    expect(lock.isHeld(lease)).toBe(false);
    expect(lock.snapshot().state).toBe('held');
    await clock.advance(1000);
    expect(lock.isHeld(lease)).toBe(true);
    expect(await lock.commit(lease, async () => 'committed')).toBe('committed');
  });

  it('a TTL that nobody asked for is somebody else’s', async () => {
    const { lock, clock, files } = openDoubleTab({ locks: null });
    const { lease } = await lock.acquireProjectLock();
    const record = recordIn(files);
    // The handle is refused twice for good; only a look from outside is left.
    files.fail({ operation: 'open', path: '.lock', error: 'InvalidStateError', times: 8 });
    putRecord(files, { ...record, n: record.n + 1, ttlMs: 77_000 });
    await failure(passing(clock, lock.renewProjectLock({ lease })));
    expect(lock.snapshot()).toMatchObject({ state: 'readonly', readonly: { reason: 'lease-stale' } });
  });

  it('refuses a lease that is another’s, or over', async () => {
    const [a, b] = openTwo();
    const { lease } = await a.lock.acquireProjectLock();
    expect(await failure(b.lock.renewProjectLock({ lease }))).toMatchObject({ code: 'lease-mismatch' });
    await a.lock.releaseProjectLock({ lease });
    expect(await failure(a.lock.renewProjectLock({ lease }))).toMatchObject({ code: 'lease-stale' });
  });
});

describe('release', () => {
  it('twice is harmless; a foreign lease is refused', async () => {
    const [a, b] = openTwo();
    const { lease } = await a.lock.acquireProjectLock();
    expect(await failure(b.lock.releaseProjectLock({ lease }))).toMatchObject({ code: 'lease-mismatch' });
    await a.lock.releaseProjectLock({ lease, reason: 'aborted' });
    await a.lock.releaseProjectLock({ lease });
    expect(a.types().filter((type) => type === 'lock:released')).toHaveLength(1);
    expect(a.events().at(-2)).toEqual({ type: 'lock:release-requested', lease, reason: 'aborted' });
    expect(recordIn(a.files)).toMatchObject({ leaseId: null, token: lease.token });
  });

  it('past the end: expired, and an error', async () => {
    const { lock, clock, types } = openDoubleTab();
    const { lease } = await lock.acquireProjectLock({ heartbeat: false });
    clock.jumpWall(30_000);
    expect(await failure(lock.releaseProjectLock({ lease }))).toMatchObject({ code: 'lease-expired' });
    expect(types().slice(-2)).toEqual(['lock:expired', 'lock:readonly-entered']);
  });

  it('of a record that is another’s by now: a loss, not a release', async () => {
    const { lock, files, clock, types } = openDoubleTab();
    const { lease } = await lock.acquireProjectLock();
    putRecord(files, { ...other, n: 50, token: 2 ** 51, first: 2 ** 51, expiresAt: clock.wallMs() + 1000 });
    await lock.releaseProjectLock({ lease });
    expect(types().slice(-3)).toEqual(['lock:release-requested', 'lock:lost', 'lock:readonly-entered']);
    expect(recordIn(files).leaseId).toBe(other.leaseId);
  });

  it('by force: whoever wrote the record; the holder learns of it', async () => {
    const [a, b] = openTwo();
    const { lease } = await a.lock.acquireProjectLock();
    await b.lock.releaseProjectLock({ lease, force: true });
    expect(b.types()).toEqual(['lock:release-requested', 'lock:released']);
    await a.clock.advance(10);
    expect(a.lock.snapshot()).toMatchObject({ state: 'readonly', readonly: { reason: 'lease-stale' } });
    expect(recordIn(a.files)).toMatchObject({ leaseId: null, token: lease.token });
  });
});

describe('commit', () => {
  it('nobody is granted anything while it runs', async () => {
    const [a, b] = openTwo();
    const { lease } = await a.lock.acquireProjectLock();
    let finish = (): void => {};
    const committing = a.lock.commit(lease, () => new Promise<void>((done) => (finish = done)));
    const stealing = takeOverProjectLock({ graceMs: 10 }, openDoubleTab({ ...b, ownerId: 'tab-c' }).lock);
    await a.clock.advance(500);
    expect(recordIn(a.files).leaseId).toBe(lease.leaseId);
    finish();
    await committing;
    expect((await passing(a.clock, stealing)).lease.token).toBe(lease.token + 1);
    expect(await failure(a.lock.commit(lease, async () => 'never'))).toMatchObject({ code: 'lease-stale' });
  });

  it('does not run when the record is another’s, and the page is read-only', async () => {
    const { lock, files, clock } = openDoubleTab();
    const { lease } = await lock.acquireProjectLock();
    putRecord(files, { ...other, n: 50, token: 2 ** 51, first: 2 ** 51, expiresAt: clock.wallMs() + 1000 });
    let ran = false;
    const error = await failure(
      lock.commit(lease, async () => {
        ran = true;
      }),
    );
    expect(error).toMatchObject({ code: 'lease-stale', retryable: false });
    expect(ran).toBe(false);
    expect(lock.snapshot().readonly?.reason).toBe('lease-stale');
  });

  it('lets go when the work fails', async () => {
    const { lock } = openDoubleTab();
    const { lease } = await lock.acquireProjectLock();
    await expect(lock.commit(lease, () => Promise.reject(new Error('disk')))).rejects.toThrow('disk');
    expect(await lock.commit(lease, async () => 'next')).toBe('next');
  });
});

describe('take-over', () => {
  it('asks first, and waits for the flush', async () => {
    const [a, b] = openTwo();
    const { lease } = await a.lock.acquireProjectLock();
    const flushed: number[] = [];
    a.lock.onTakeOverRequest(async (asked) => void flushed.push(asked.token));
    const taken = await passing(a.clock, takeOverProjectLock({ graceMs: 1000 }, b.lock));
    expect(taken).toMatchObject({ how: 'asked', lease: { token: lease.token + 1 } });
    expect(flushed).toEqual([lease.token]);
    expect(a.lock.snapshot().state).toBe('idle');
  });

  it('stops the work of a holder that was asked, after the flush; a flush that throws does not stop it', async () => {
    const [a, b] = openTwo();
    a.lock.onTakeOverRequest(() => {
      throw new Error('cannot flush');
    });
    const work = failure(a.lock.withProjectLock({}, () => new Promise(() => {})));
    await a.clock.advance(10);
    expect(await passing(a.clock, takeOverProjectLock({ graceMs: 1000 }, b.lock))).toMatchObject({ how: 'asked' });
    expect(await work).toMatchObject({ code: 'lease-stale' });
  });

  it('gives the record back when the Web Lock cannot be stolen', async () => {
    const a = openDoubleTab();
    const b = openDoubleTab({ ...a, ownerId: 'tab-b' });
    const { lease } = await a.lock.acquireProjectLock();
    a.locks.plan({ reject: 'InvalidStateError' });
    const taking = failure(takeOverProjectLock({ graceMs: 100 }, b.lock));
    expect(await passing(a.clock, taking)).toMatchObject({ code: 'acquire-denied' });
    expect(recordIn(a.files)).toMatchObject({ leaseId: null, token: lease.token + 1 });
  });

  it('from a silent holder; the cool-down binds the next one; the loss has its reason', async () => {
    const a = openDoubleTab();
    const [b, c] = [openDoubleTab({ ...a, ownerId: 'tab-b' }), openDoubleTab({ ...a, ownerId: 'tab-c' })];
    const { lease } = await a.lock.acquireProjectLock();
    const taken = await passing(a.clock, takeOverProjectLock({ graceMs: 100 }, b.lock));
    expect(taken).toMatchObject({ how: 'stolen', lease: { token: lease.token + 1 } });
    expect(a.lock.snapshot().readonly?.reason).toBe('stolen');
    const refused = passing(a.clock, takeOverProjectLock({ graceMs: 100 }, c.lock));
    expect(await failure(refused)).toMatchObject({ code: 'acquire-denied', retryable: true });
    await a.clock.advance(10_000);
    const later = await passing(a.clock, takeOverProjectLock({ graceMs: 100 }, c.lock));
    expect(later.lease.token).toBe(lease.token + 2);
  });

  it('a clock that went back does not keep the lock cool for ever', async () => {
    const a = openDoubleTab();
    const [b, c] = [openDoubleTab({ ...a, ownerId: 'tab-b' }), openDoubleTab({ ...a, ownerId: 'tab-c' })];
    await a.lock.acquireProjectLock();
    const { lease } = await passing(a.clock, takeOverProjectLock({ graceMs: 100 }, b.lock));
    a.clock.jumpWall(-3_600_000);
    const taken = await passing(a.clock, takeOverProjectLock({ graceMs: 100 }, c.lock));
    expect(taken).toMatchObject({ how: 'stolen', lease: { token: lease.token + 1 } });
  });

  it('a renewal within the grace does not save a silent holder', async () => {
    const a = openDoubleTab();
    const b = openDoubleTab({ ...a, ownerId: 'tab-b' });
    const { lease } = await a.lock.acquireProjectLock();
    const taking = takeOverProjectLock({ graceMs: 1000 }, b.lock);
    await a.clock.advance(500);
    await a.lock.renewProjectLock({ lease });
    expect(await passing(a.clock, taking)).toMatchObject({ how: 'stolen', lease: { token: lease.token + 1 } });
  });

  it('of a free lock is an ordinary acquire', async () => {
    const { lock, clock } = openDoubleTab();
    expect(await passing(clock, takeOverProjectLock({}, lock))).toMatchObject({ how: 'free' });
  });
});

describe('session', () => {
  it('takes tokens from its block, keeps the gate, and ends when idle', async () => {
    const { lock, clock, types, files } = openDoubleTab();
    const session = openProjectLockSession({ block: 2 }, lock);
    const tokens: number[] = [];
    for (let i = 0; i < 3; i++) await session.run(({ token }) => void tokens.push(token));
    expect(tokens[1]).toBe((tokens[0] ?? 0) + 1);
    expect(tokens[2]).toBeGreaterThan(tokens[1] ?? 0);
    expect(types().filter((type) => type === 'lock:acquired')).toHaveLength(2);
    expect(recordIn(files).token).toBe((tokens[2] ?? 0) + 1);
    await clock.advance(1000);
    expect(lock.snapshot()).toEqual({ state: 'idle' });
  });

  it('ends when another tab wants the lock', async () => {
    const [a, b] = openTwo();
    const session = openProjectLockSession({ idleMs: 60_000 }, a.lock);
    await session.run(() => undefined);
    const { lease } = await passing(a.clock, b.lock.acquireProjectLock());
    expect(lease.strategy).toBe('web-lock');
  });

  it('a section that begins while the session ends waits for that', async () => {
    const channels = openChannels();
    const { lock } = openDoubleTab({ channel: channels() });
    const session = openProjectLockSession({}, lock);
    await session.run(() => undefined);
    channels().postMessage({ kind: 'want' });
    await Promise.resolve();
    expect(lock.snapshot().state).toBe('releasing');
    expect(await session.run(() => 'next')).toBe('next');
  });

  it('one section at a time', async () => {
    const { lock } = openDoubleTab();
    const session = openProjectLockSession({}, lock);
    expect(await failure(session.run(() => session.run(() => 'twice')))).toMatchObject({ code: 'lease-mismatch' });
    await session.end();
    expect(lock.snapshot()).toEqual({ state: 'idle' });
  });
});

describe('listeners', () => {
  it('one that throws harms nobody, and the snapshot is there before the event', async () => {
    const { lock } = openDoubleTab();
    const states: string[] = [];
    lock.subscribeLockEvents(() => {
      throw new Error('mine alone');
    });
    lock.subscribeLockEvents(({ type }) => states.push(`${type} ${lock.snapshot().state}`));
    await lock.acquireProjectLock();
    expect(states).toEqual(['lock:attempt acquiring', 'lock:acquired held']);
  });

  it('the snapshot is the same object until something changes', async () => {
    const { lock } = openDoubleTab();
    let changes = 0;
    const stop = lock.subscribe(() => changes++);
    expect(lock.snapshot()).toBe(lock.snapshot());
    const { lease } = await lock.acquireProjectLock();
    expect(changes).toBe(2);
    expect(lock.snapshot()).toEqual({ state: 'held', lease });
    stop();
    await lock.releaseProjectLock({ lease });
    expect(changes).toBe(2);
  });
});
