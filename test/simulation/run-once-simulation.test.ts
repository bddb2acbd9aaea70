import { describe, expect, it } from 'vitest';
import { decideIdempotency } from '../../src/core/idempotency.ts';
import { type RunOncePlant, runRunOnceScenario } from './run-once-scenario.ts';

const seeds = Number(process.env.KANNUKI_SIMULATION_SEEDS ?? 2_000);

describe('simulation of run-once', () => {
  it(`${seeds} seeds: one effect, one answer`, { timeout: 3_600_000 }, async () => {
    const counts = { runs: 0, effects: 0, answers: 0, takeOvers: 0 };
    for (let seed = 1; seed <= seeds; seed++) {
      const result = await runRunOnceScenario(seed);
      expect(result.violation, `seed ${seed}`).toBeUndefined();
      for (const name of ['runs', 'effects', 'answers', 'takeOvers'] as const) counts[name] += result.counts[name];
    }
    process.stdout.write(`fault-summary ${JSON.stringify({ experiment: 'run-once simulation', seeds, ...counts })}\n`);
    // A world in which nothing happens proves nothing.
    expect(counts.takeOvers).toBeGreaterThan(seeds / 10);
    expect(counts.effects).toBeGreaterThan(seeds * 0.9);
  });
});

const planted: readonly { readonly name: string; readonly plant: RunOncePlant }[] = [
  { name: 'effect outside and not keyed', plant: { effect: 'outside' } },
  {
    name: 'completion without a token guard',
    plant: { effect: 'keyed', throws: false, rules: { decideCompletion: () => ({ kind: 'complete' }) } },
  },
  { name: 'the zombie answers with its own result', plant: { rules: { refuseCompletion: false } } },
  {
    name: 'another input is refused only once completed',
    plant: {
      rules: {
        decideIdempotency: (record, request, nowUs) =>
          decideIdempotency(
            record?.state === 'running' ? { ...record, fingerprint: request.fingerprint } : record,
            request,
            nowUs,
          ),
      },
    },
  },
  {
    name: 'the key is deleted when the handler throws',
    plant: { effect: 'outside', throws: true, rules: { keepFailure: false } },
  },
  {
    name: 'no unique key: every caller may claim',
    plant: { rules: { decideIdempotency: (_record, request, nowUs) => decideIdempotency(undefined, request, nowUs) } },
  },
];

describe('planted bugs of run-once are found', () => {
  for (const { name, plant } of planted) {
    it(name, { timeout: 120_000 }, async () => {
      for (let seed = 1; seed <= 1_500; seed++) {
        const { violation } = await runRunOnceScenario(seed, plant);
        if (violation === undefined) continue;
        process.stdout.write(`found after ${seed} seeds: ${name}: ${violation}\n`);
        return;
      }
      expect.fail(`${name}: not found in 1,500 seeds`);
    });
  }
});
