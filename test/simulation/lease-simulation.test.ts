import { describe, expect, it } from 'vitest';
import { runLeaseScenario } from './lease-scenario.ts';
import { plantedBugs } from './planted-bugs.ts';

const seeds = Number(process.env.KANNUKI_SIMULATION_SEEDS ?? 2_000);
const firstSeed = Number(process.env.KANNUKI_SIMULATION_FIRST_SEED ?? 1);

describe('simulation of the lease keeper', () => {
  it(`${seeds} seeds break no invariant`, { timeout: 3_600_000 }, async () => {
    const counts = { grants: 0, renewals: 0, writes: 0 };
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
      const result = await runLeaseScenario(seed);
      expect(result.violation, `seed ${seed}`).toBeUndefined();
      counts.grants += result.counts.grants;
      counts.renewals += result.counts.renewals;
      counts.writes += result.counts.writes;
    }
    process.stdout.write(
      `fault-summary ${JSON.stringify({ experiment: 'simulation', firstSeed, seeds, ...counts })}\n`,
    );
    // A world in which nothing happens proves nothing.
    expect(counts.grants).toBeGreaterThan(seeds * 5);
    expect(counts.renewals).toBeGreaterThan(seeds);
    expect(counts.writes).toBeGreaterThan(seeds * 3);
  });

  it('the same seed gives the same history', async () => {
    for (const seed of [1, 7, 42]) expect(await runLeaseScenario(seed)).toEqual(await runLeaseScenario(seed));
  });
});

describe('planted bugs are found', () => {
  for (const { name, plant } of plantedBugs) {
    it(name, { timeout: 120_000 }, async () => {
      for (let seed = 1; seed <= 1_500; seed++) {
        const { violation } = await runLeaseScenario(seed, plant);
        if (violation === undefined) continue;
        process.stdout.write(`found after ${seed} seeds: ${name}: ${violation}\n`);
        return;
      }
      expect.fail(`${name}: not found in 1,500 seeds`);
    });
  }
});
