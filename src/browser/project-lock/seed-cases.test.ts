/** The named cases of the two design notes, with the doubles they ask for. docs/seeds.md points here by name. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  closeDoubleTabs,
  failure,
  openDoubleTab,
  other,
  passing,
  putRecord,
  recordIn,
} from '../../../test/browser/open-double-tab.ts';

afterEach(closeDoubleTabs);

describe('seed 001 §6', () => {
  it('TC-01 Web Lock acquired', async () => {
    const { lock, types, events } = openDoubleTab();
    const { lease, didFallback } = await lock.acquireProjectLock();
    expect(didFallback).toBe(false);
    expect(lease).toMatchObject({ strategy: 'web-lock', viaFallback: false, ownerId: 'tab-a' });
    expect(lease.leaseId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(JSON.parse(JSON.stringify(lease))).toEqual(lease);
    expect(types()).toEqual(['lock:attempt', 'lock:acquired']);
    expect(events()[1]).toEqual({ type: 'lock:acquired', lease });
  });

  it('TC-02 no Web Locks: the file', async () => {
    const { lock, locks, events, files } = openDoubleTab();
    locks.plan({ reject: 'NotSupportedError' });
    const { lease, didFallback } = await lock.acquireProjectLock();
    expect(didFallback).toBe(true);
    expect(lease).toMatchObject({ strategy: 'file-lock', viaFallback: true });
    expect(events()).toMatchObject([
      { type: 'lock:attempt', strategy: 'web-lock' },
      { type: 'lock:warning', code: 'fallback-engaged' },
      { type: 'lock:attempt', strategy: 'file-lock' },
      { type: 'lock:acquired' },
    ]);
    expect(recordIn(files)).toMatchObject({ leaseId: lease.leaseId, strategy: 'file-lock' });
  });

  it('TC-03 conflict in .lock: the delays grow, then it succeeds', async () => {
    const { lock, clock, files, events } = openDoubleTab({ locks: null });
    putRecord(files, { ...other, expiresAt: clock.wallMs() + 10_000 });
    const retryPolicy = { initialDelayMs: 200, multiplier: 2, maxDelayMs: 5000, maxAttempts: Number.POSITIVE_INFINITY };
    const { lease } = await passing(clock, lock.acquireProjectLock({ retryPolicy }));
    expect(lease.token).toBe(8);
    const delays = events().flatMap((event) => (event.type === 'lock:waiting' ? [event.delayMs] : []));
    expect(delays).toEqual([200, 400, 800, 1600, 3200, 5000]);
    expect(events().filter((event) => event.type === 'lock:warning')).toEqual([
      { type: 'lock:warning', code: 'fallback-engaged' },
      { type: 'lock:warning', code: 'fallback-degraded' },
    ]);
  });

  it('TC-04 the caller aborts: no fallback', async () => {
    const { lock, locks, events, files, clock } = openDoubleTab();
    locks.plan('never');
    const controller = new AbortController();
    const acquiring = failure(lock.acquireProjectLock({ signal: controller.signal }));
    await clock.advance(10);
    controller.abort();
    const error = await acquiring;
    expect(error).toMatchObject({ code: 'web-lock-aborted', retryable: false });
    expect(events()).toMatchObject([{ type: 'lock:attempt' }, { type: 'lock:error', operation: 'acquire', error }]);
    expect(lock.snapshot()).toEqual({ state: 'idle' });
    expect(files.paths()).toEqual([]);
    expect(clock.pendingTimers()).toBe(0);
  });

  it('TC-05 a renewal moves the end', async () => {
    const { lock, clock, events } = openDoubleTab({ locks: null });
    const { lease } = await lock.acquireProjectLock();
    await clock.advance(10_000);
    const renewed = await lock.renewProjectLock({ lease });
    expect(renewed.expiresAt).toBe(lease.expiresAt + 10_000);
    expect({ ...renewed, expiresAt: 0 }).toEqual({ ...lease, expiresAt: 0 });
    expect(events().at(-1)).toEqual({ type: 'lock:renewed', lease: renewed });
    const longer = await lock.renewProjectLock({ lease: renewed, extendByMs: 60_000 });
    expect(longer.expiresAt).toBe(clock.wallMs() + 60_000);
  });

  it('TC-06 the record cannot be taken away on release', async () => {
    const { lock, clock, files, events, types } = openDoubleTab({ locks: null });
    const { lease } = await lock.acquireProjectLock();
    files.fail({ operation: 'write', path: '.lock', times: Number.POSITIVE_INFINITY });
    const error = await passing(clock, failure(lock.releaseProjectLock({ lease })));
    expect(error).toMatchObject({ code: 'release-failed', retryable: false, cause: { code: 'fallback-write-failed' } });
    const errors = events().flatMap((event) => (event.type === 'lock:error' ? [event] : []));
    expect(errors).toHaveLength(4);
    expect(errors[0]).toMatchObject({
      operation: 'release',
      error: { code: 'release-failed', retryable: true, cause: { code: 'fallback-write-failed' } },
    });
    expect(types()).not.toContain('lock:released');
    expect(lock.snapshot()).toMatchObject({ state: 'readonly', readonly: { reason: 'release-failed' } });
  });

  it('TC-07 the end is noticed', async () => {
    const { lock, clock, events } = openDoubleTab();
    const { lease } = await lock.acquireProjectLock({ heartbeat: false });
    await clock.advance(lease.expiresAt - clock.wallMs());
    expect(events().map(({ type }) => type)).toEqual([
      'lock:attempt',
      'lock:acquired',
      'lock:expired',
      'lock:readonly-entered',
    ]);
    expect(lock.isHeld(lease)).toBe(false);
    expect(await failure(lock.renewProjectLock({ lease }))).toMatchObject({ code: 'lease-expired', retryable: false });
    const again = await lock.acquireProjectLock();
    expect(again.lease.token).toBeGreaterThan(lease.token);
  });
});

describe('seed 002 §4', () => {
  it('case 1: Web Lock, the ordinary course', async () => {
    const { lock, clock, types, events } = openDoubleTab();
    const { lease } = await lock.acquireProjectLock();
    expect(lease.expiresAt - lease.acquiredAt).toBe(25_000);
    await clock.advance(19_999);
    expect(types()).not.toContain('lock:renewed');
    await clock.advance(1);
    expect(events().slice(2)).toMatchObject([
      { type: 'lock:attempt', operation: 'renew', strategy: 'web-lock', attempt: 1 },
      { type: 'lock:renew-scheduled', nextHeartbeatInMs: 20_000 },
      { type: 'lock:renewed', lease: { expiresAt: lease.expiresAt + 20_000 } },
    ]);
    await lock.releaseProjectLock({ lease });
    expect(types().slice(5)).toEqual(['lock:release-requested', 'lock:released']);
    expect(lock.snapshot()).toEqual({ state: 'idle' });
    expect(clock.pendingTimers()).toBe(0);
  });

  it('case 2: fallback, warned of once', async () => {
    const { lock, clock, files, events } = openDoubleTab({ locks: null });
    putRecord(files, { ...other, expiresAt: clock.wallMs() + 1200 });
    const { lease } = await passing(clock, lock.acquireProjectLock());
    expect(lease.viaFallback).toBe(true);
    expect(recordIn(files)).toMatchObject({ leaseId: lease.leaseId, ownerId: 'tab-a', expiresAt: lease.expiresAt });
    expect(files.paths()).toEqual(['project/.lock']);
    const engaged = events().filter((event) => event.type === 'lock:warning' && event.code === 'fallback-engaged');
    expect(engaged).toHaveLength(1);
  });

  it('case 3: delays of 500 and 1000 ms, then read-only', async () => {
    const { lock, clock, files, events } = openDoubleTab({ locks: null });
    putRecord(files, { ...other, expiresAt: clock.wallMs() + 25_000 });
    const error = await passing(clock, failure(lock.acquireProjectLock()));
    expect(error).toMatchObject({ code: 'acquire-timeout', retryable: false, cause: { code: 'fallback-conflict' } });
    expect(events().flatMap((event) => (event.type === 'lock:waiting' ? [event.delayMs] : []))).toEqual([500, 1000]);
    expect(events().at(-1)).toEqual({ type: 'lock:readonly-entered', reason: 'acquire-timeout', lastError: error });
  });

  it('case 4: renewing .lock by 30 s; twice failed, it is judged', async () => {
    const { lock, clock, files, events } = openDoubleTab({ locks: null });
    const { lease } = await lock.acquireProjectLock();
    await clock.advance(25_000);
    expect(events().at(-1)).toMatchObject({ type: 'lock:renewed', lease: { expiresAt: clock.wallMs() + 30_000 } });
    files.fail({ operation: 'write', path: '.lock', times: 2 });
    // Two failures, then the record is looked at: still ours, and the third attempt succeeds.
    await clock.advance(25_000 + 1500);
    expect(events().slice(-6)).toMatchObject([
      { type: 'lock:error', operation: 'renew', error: { code: 'renew-failed', retryable: true } },
      { type: 'lock:attempt', operation: 'renew', attempt: 2 },
      { type: 'lock:error', operation: 'renew', error: { cause: { code: 'fallback-write-failed' } } },
      { type: 'lock:attempt', operation: 'renew', attempt: 3 },
      { type: 'lock:renew-scheduled' },
      { type: 'lock:renewed' },
    ]);
    expect(lock.isHeld(lease)).toBe(true);
    // The same again, but by now the record is another's: stale at once, after the second failure.
    files.fail({ operation: 'write', path: '.lock', times: 2 });
    const before = events().length;
    await clock.advance(24_000);
    putRecord(files, { ...other, n: 99, token: 2 ** 51, first: 2 ** 51, expiresAt: clock.wallMs() + 30_000 });
    await clock.advance(2000);
    expect(events().slice(before)).toMatchObject([
      { type: 'lock:attempt', operation: 'renew' },
      { type: 'lock:lost', reason: 'stale' },
      { type: 'lock:readonly-entered', reason: 'lease-stale' },
    ]);
  });

  it('case 5: every way into read-only, with its reason', async () => {
    const failing = { operation: 'write', path: '.lock', times: Number.POSITIVE_INFINITY } as const;
    const renewFailed = openDoubleTab({ locks: null });
    await renewFailed.lock.acquireProjectLock();
    renewFailed.files.fail(failing);
    await renewFailed.clock.advance(30_000);

    const stale = openDoubleTab({ locks: null });
    await stale.lock.acquireProjectLock();
    putRecord(stale.files, { ...other, n: 99, expiresAt: stale.clock.wallMs() + 60_000 });
    await stale.clock.advance(25_000);

    const releaseFailed = openDoubleTab({ locks: null });
    const { lease } = await releaseFailed.lock.acquireProjectLock();
    releaseFailed.files.fail(failing);
    await passing(releaseFailed.clock, failure(releaseFailed.lock.releaseProjectLock({ lease })));

    const entered = [renewFailed, stale, releaseFailed].map(({ events }) => {
      const event = events().at(-1);
      return event?.type === 'lock:readonly-entered' ? [event.reason, event.lastError?.code] : event;
    });
    expect(entered).toMatchInlineSnapshot(`
      [
        [
          "renew-failed",
          "renew-failed",
        ],
        [
          "lease-stale",
          "lease-stale",
        ],
        [
          "release-failed",
          "release-failed",
        ],
      ]
    `);
  });

  it('case 6: withProjectLock keeps the heart beating, and stops the work', async () => {
    const { lock, clock, files, types } = openDoubleTab({ locks: null });
    const told: string[] = [];
    let signal: AbortSignal | undefined;
    const work = failure(
      lock.withProjectLock({ onReadonly: ({ reason }) => told.push(reason) }, (_, given) => {
        signal = given;
        return new Promise(() => {});
      }),
    );
    await clock.advance(80_000);
    expect(types().filter((type) => type === 'lock:renewed')).toHaveLength(3);
    expect(signal?.aborted).toBe(false);
    files.fail({ operation: 'write', path: '.lock', times: Number.POSITIVE_INFINITY });
    await clock.advance(30_000);
    expect(await work).toMatchObject({ code: 'renew-failed', retryable: false });
    expect(signal?.aborted).toBe(true);
    expect(told).toEqual(['renew-failed']);
    expect(clock.pendingTimers()).toBe(0);
  });

  it('case 7: whoever unsubscribed hears nothing, twice is harmless', async () => {
    const { lock } = openDoubleTab();
    const heard: string[] = [];
    const subscription = lock.subscribeLockEvents(({ type }) => heard.push(type));
    const { lease } = await lock.acquireProjectLock();
    subscription.unsubscribe();
    subscription.unsubscribe();
    await lock.releaseProjectLock({ lease });
    expect(heard).toEqual(['lock:attempt', 'lock:acquired']);
  });
});
