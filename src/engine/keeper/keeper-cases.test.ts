/** Every case of the keeper that stores have to pass, in virtual time over the memory store: quick, and always alike. */
import { describe, it } from 'vitest';
import { memoryStore } from '../../stores/memory/memory-store.ts';
import { type FakeClock, fakeClock } from '../../testing/fake-clock.ts';
import { leaseKeeperCases } from '../../testing/lease-keeper-cases.ts';

describe.each(leaseKeeperCases.map((one) => [`${one.theme}: ${one.name}`, one] as const))('%s', (_name, one) => {
  it.skipIf(one.uses)('holds', async () => {
    const clock = fakeClock();
    const store = memoryStore({ clock });
    let keys = 0;
    await letTimePass(
      clock,
      one.run({
        openStore: async () => ({ ...store, close: async () => {} }),
        clock,
        freshKey: (hint) => `${++keys}/${hint}`,
        ttlMs: 400,
      }),
    );
  });
});

/** Moves on to the next timer until the work is done. */
async function letTimePass(clock: FakeClock, work: Promise<void>): Promise<void> {
  let done = false;
  const settled = work.finally(() => {
    done = true;
  });
  settled.catch(() => undefined);
  // Cases take a few seconds; a keeper that asks for ever would set timers for ever.
  for (let idle = 0; !done && idle < 100 && clock.monotonicMs() < 120_000; ) {
    if (await clock.runNext()) idle = 0;
    else idle++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!done) throw new Error('The case waits for something that does not come.');
  await settled;
}
