/** Runs in a tab: full cycles of the lock, with and without somebody who counts its events. */
import { createProjectLock } from '/dist/browser/project-lock/index.js';
import { publishLockTelemetry } from '/dist/browser/telemetry/index.js';

/** One block of `n` cycles; the publisher lives as long as the block, and sends as it would. */
export async function block(published, n) {
  window.lock ??= createProjectLock();
  const publisher = published
    ? publishLockTelemetry({ subscribe: window.lock.subscribeLockEvents, phase: 'B-1', url: '/telemetry' })
    : undefined;
  const times = [];
  for (let i = 0; i < n; i++) {
    const startMs = performance.now();
    const { lease } = await window.lock.acquireProjectLock({ maxWaitMs: 60_000 });
    await window.lock.releaseProjectLock({ lease });
    times.push(performance.now() - startMs);
  }
  publisher?.dispose();
  return times;
}

/** Microseconds that one cycle's events cost the publisher alone, without a lock in between. */
export function eventCost(n) {
  let listener = () => {};
  const publisher = publishLockTelemetry({
    subscribe(given) {
      listener = given;
      return { unsubscribe() {} };
    },
    phase: 'B-1',
    url: '/telemetry',
  });
  const lease = { strategy: 'web-lock' };
  const events = [
    { type: 'lock:attempt', operation: 'acquire', strategy: 'web-lock', attempt: 1 },
    { type: 'lock:acquired', lease },
    { type: 'lock:release-requested', lease },
    { type: 'lock:released', leaseId: 'x' },
  ];
  const startMs = performance.now();
  for (let i = 0; i < n; i++) for (const event of events) listener(event);
  const eachUs = ((performance.now() - startMs) * 1000) / n;
  publisher.dispose();
  return eachUs;
}
