/** The simulations in a second: what `npm run mutation` can afford to run for each of its mutants. */
import { expect, it } from 'vitest';
import { runLeaseScenario } from './lease-scenario.ts';
import { runRunOnceScenario } from './run-once-scenario.ts';

it('a few histories of the lease keeper break no invariant', async () => {
  for (let seed = 1; seed <= 3; seed++)
    expect((await runLeaseScenario(seed)).violation, `seed ${seed}`).toBeUndefined();
});

it('a few histories of run-once have one effect and one answer', async () => {
  for (let seed = 1; seed <= 12; seed++) {
    expect((await runRunOnceScenario(seed)).violation, `seed ${seed}`).toBeUndefined();
  }
});
