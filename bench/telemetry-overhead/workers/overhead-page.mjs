/** Runs in a tab: full cycles of the lock, with and without somebody who counts its events. */
import { createProjectLock } from '/dist/browser/project-lock/index.js';
import { publishLockTelemetry } from '/dist/browser/telemetry/index.js';

let lock;
let heard = false;

/** `n` pairs of blocks of `size` cycles, one heard by the publisher and one not; the first of a pair is each in turn. */
export async function pairs(n, size) {
  if (!lock) {
    lock = createProjectLock();
    const subscribe = (listener) => lock.subscribeLockEvents((event) => heard && listener(event));
    publishLockTelemetry({ subscribe, phase: 'B-1', url: '/telemetry' });
  }
  const done = [];
  for (let i = 0; i < n; i++) {
    const pair = {};
    for (const way of i % 2 ? ['withMs', 'withoutMs'] : ['withoutMs', 'withMs']) {
      heard = way === 'withMs';
      const startMs = performance.now();
      for (let j = 0; j < size; j++) {
        const { lease } = await lock.acquireProjectLock({ maxWaitMs: 60_000 });
        await lock.releaseProjectLock({ lease });
      }
      pair[way] = performance.now() - startMs;
    }
    done.push(pair);
  }
  return done;
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
