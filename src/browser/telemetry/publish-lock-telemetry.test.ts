import { beforeEach, describe, expect, it } from 'vitest';
import { platform as realPlatform } from '#platform';
import { parseBatch } from '../../systems/telemetry/parse-batch.ts';
import { fakeClock } from '../../testing/index.ts';
import type { LockEvent } from './lock-signal.ts';
import { type LockTelemetryPublisher, type PublisherOptions, publishLockTelemetry } from './publish-lock-telemetry.ts';

interface Sent {
  readonly id: string;
  readonly phase: string;
  readonly events: readonly { readonly name: string; readonly count: number }[];
}

describe('publishLockTelemetry', () => {
  let clock: ReturnType<typeof fakeClock>;
  let listener: ((event: LockEvent) => void) | undefined;
  let hide: (() => void) | undefined;
  let posts: Sent[];
  let beacons: Sent[];
  let reachable: boolean;
  let publisher: LockTelemetryPublisher;

  const start = (options: Partial<PublisherOptions> = {}) =>
    publishLockTelemetry({
      phase: 'B-0',
      subscribe(given) {
        listener = given;
        return {
          unsubscribe() {
            listener = undefined;
          },
        };
      },
      page: {
        onHide(given) {
          hide = given;
          return () => {
            hide = undefined;
          };
        },
        beacon(_, body) {
          if (reachable) beacons.push(accepted(body));
          return reachable;
        },
        async post(_, body) {
          posts.push(accepted(body));
          return reachable;
        },
      },
      platform: { ...realPlatform, clock },
      ...options,
    });

  /** Whatever is sent, the collector takes all of it. */
  function accepted(body: string): Sent {
    const sent = JSON.parse(body);
    expect(parseBatch(sent)).toMatchObject({ ok: true, refused: [] });
    return sent;
  }

  beforeEach(() => {
    clock = fakeClock();
    posts = [];
    beacons = [];
    reachable = true;
    publisher = start();
  });

  const lease = { strategy: 'web-lock' };
  const attempt = { type: 'lock:attempt', operation: 'acquire', strategy: 'web-lock', attempt: 1 };

  it('counts events alike and measures from the first attempt to the grant', async () => {
    listener?.(attempt);
    listener?.(attempt);
    await clock.advance(40);
    listener?.({ type: 'lock:acquired', lease });
    listener?.({ type: 'lock:waiting' });
    await publisher.flush();
    expect(posts.map(({ events }) => events)).toEqual([
      [
        {
          name: 'autosave.lock.attempt',
          operation: 'acquire',
          strategy: 'web-lock',
          atMs: expect.any(Number),
          count: 2,
        },
        {
          name: 'autosave.lock.acquired',
          strategy: 'web-lock',
          durationMs: 40,
          atMs: expect.any(Number),
          count: 1,
        },
      ],
    ]);
  });

  it('sends by itself after a while, and again under the same id when it did not get through', async () => {
    reachable = false;
    listener?.({ type: 'lock:readonly-entered', reason: 'renew-failed' });
    await clock.advance(10_000);
    reachable = true;
    await clock.advance(10_000);
    await clock.advance(10_000);
    expect(posts).toHaveLength(2);
    expect(posts[0]?.id).toBe(posts[1]?.id);
  });

  it('hands everything to the beacon when the page is hidden', async () => {
    listener?.(attempt);
    hide?.();
    expect(beacons).toMatchObject([{ phase: 'B-0', events: [{ name: 'autosave.lock.attempt' }] }]);
    await publisher.flush();
    expect(posts).toEqual([]);
  });

  it('keeps the newest when the collector cannot be reached', async () => {
    publisher.dispose();
    reachable = false;
    publisher = start({ maxSignals: 10 });
    for (const reason of ['stolen', 'page-cached'])
      for (let i = 0; i < 10; i++) listener?.({ type: 'lock:readonly-entered', reason });
    reachable = true;
    await publisher.flush();
    const reasons = posts.flatMap(({ events }) => events.map((event) => 'reason' in event && event.reason));
    expect(reasons).toEqual(Array.from({ length: 10 }, () => 'page-cached'));
  });

  it('keeps the phases apart', async () => {
    listener?.(attempt);
    publisher.setPhase('A-2');
    listener?.(attempt);
    await publisher.flush();
    expect(posts.map(({ phase }) => phase)).toEqual(['B-0', 'A-2']);
  });

  it('sends no document text, no lease and no message, whatever an event carries', async () => {
    const canary = 'Once upon a time';
    const hostile = {
      operation: canary,
      strategy: canary,
      reason: canary,
      error: Object.assign(new Error(canary), { code: canary }),
      lease: { strategy: canary, leaseId: canary, ownerId: canary },
      document: canary,
    };
    for (const type of ['attempt', 'acquired', 'renewed', 'error', 'readonly-entered', canary])
      listener?.({ type: `lock:${type}`, ...hostile });
    await publisher.flush();
    expect(posts).toHaveLength(1);
    expect(JSON.stringify(posts)).not.toContain('Once');
  });

  it('never throws into the lock, and is silent once it is disposed of', () => {
    expect(() => listener?.(null as never)).not.toThrow();
    const kept = listener;
    listener?.(attempt);
    publisher.dispose();
    publisher.dispose();
    expect(beacons).toHaveLength(1);
    expect([listener, hide]).toEqual([undefined, undefined]);
    kept?.(attempt);
    publisher.setPhase('A-0');
    expect(beacons).toHaveLength(1);
  });
});
