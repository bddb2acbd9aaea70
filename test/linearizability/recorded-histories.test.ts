import { describe, expect, it } from 'vitest';
import { type LeaseRules, leaseRules } from '../../src/core/lease.ts';
import { memoryStore } from '../../src/stores/memory/memory-store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { randomFaults } from '../../src/testing/fault-plan.ts';
import { faultyStore } from '../../src/testing/faulty-store.ts';
import { type CheckResult, checkHistory } from '../../src/testing/linearizability.ts';
import { recordHistory } from '../../src/testing/record-history.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';

const seeds = Array.from({ length: 40 }, (_, i) => i + 1);
const { decideAcquire, decideBreak, decideRelease, decideRenew } = leaseRules;

/** Each rule is broken in one way. */
const plantedBugs: Readonly<Record<string, Partial<LeaseRules>>> = {
  'grants a little before the end': {
    decideAcquire: (record, input, nowUs) => decideAcquire(record, input, nowUs + 50_000),
  },
  'refuses a little after the end': {
    decideAcquire: (record, input, nowUs) => {
      const late = record.holders.map((holder) => ({ ...holder, endUs: holder.endUs + 100_000 }));
      const decision = decideAcquire({ ...record, holders: late }, input, nowUs);
      return decision.granted ? decideAcquire(record, input, nowUs) : { ...decision, record };
    },
  },
  'keeps the first number of a block': {
    decideAcquire: (record, input, nowUs) => {
      const decision = decideAcquire(record, input, nowUs);
      if (!decision.granted) return decision;
      return { ...decision, record: { ...decision.record, token: decision.numbers.token - 100_000 } };
    },
  },
  'releases for anybody': {
    decideRelease: (record, input, nowUs) =>
      decideRelease(record, { ...input, owner: record.holders[0]?.owner ?? '' }, nowUs),
  },
  'releases without looking at the number': {
    decideRelease: (record, input, nowUs) => decideRelease(record, { ...input, token: null }, nowUs),
    decideRenew: (record, input, nowUs) => {
      const mine = record.holders.find(({ owner }) => owner === input.owner);
      return decideRenew(record, { ...input, token: mine?.token ?? 0 }, nowUs);
    },
  },
  'revives by a renewal': {
    decideRenew: (record, input, nowUs) => {
      const holders = record.holders.map((holder) => ({ ...holder, endUs: Math.max(holder.endUs, nowUs + 1) }));
      return decideRenew({ ...record, holders }, input, nowUs);
    },
  },
  'shortens by a renewal': {
    decideRenew: (record, input, nowUs) => {
      const renewed = decideRenew(record, input, nowUs);
      return renewed && { ...renewed, holders: renewed.holders.map((held) => ({ ...held, endUs: nowUs + 20_000 })) };
    },
  },
  'serves the line from its end': {
    decideRelease: (record, input, nowUs) =>
      decideRelease({ ...record, line: [...record.line].reverse() }, input, nowUs),
  },
  'forgets the line at a release': {
    decideRelease: (record, input, nowUs) => decideRelease({ ...record, line: [] }, input, nowUs),
  },
  'does not raise the number of a broken lease': {
    decideBreak: (record, acceptMs, nowUs) => {
      const decision = decideBreak(record, acceptMs, nowUs);
      return decision && { ...decision, heirs: [], record: { ...record, holders: [] } };
    },
  },
};

describe('histories recorded from a memory store on virtual time', () => {
  it('of the real rules are accepted, for every seed', { timeout: 60_000 }, async () => {
    let operations = 0;
    for (const seed of seeds) {
      const result = await checkSeed(seed, leaseRules);
      expect(result, `seed ${seed}`).toMatchObject({ ok: true });
      if (result.ok) operations += result.operations;
    }
    expect(operations).toBeGreaterThan(seeds.length * 100);
  });

  it('are the same for the same seed', async () => {
    expect(await checkSeed(7, leaseRules)).toEqual(await checkSeed(7, leaseRules));
  });

  for (const [name, bug] of Object.entries(plantedBugs)) {
    it(`of a store that ${name} are rejected`, { timeout: 60_000 }, async () => {
      for (const seed of seeds) {
        const result = await checkSeed(seed, { ...leaseRules, ...bug });
        if (!result.ok) return expect(result.reason).not.toMatch(/undecided/);
      }
      expect.fail(`no history of ${seeds.length} seeds was rejected`);
    });
  }
});

/** Six clients of one memory store, each behind a link that delays. */
async function checkSeed(seed: number, rules: LeaseRules): Promise<CheckResult> {
  const clock = fakeClock();
  const random = seededRandom(seed);
  const store = memoryStore({ clock, rules });
  const plan = randomFaults(random.fork('faults'), { call: 0.5, notice: 0.3, delayMsMax: 60, kinds: ['delay'] });
  const stores = Array.from({ length: 6 }, () => faultyStore({ store, clock, plan }));
  let running = true;
  const recorded = recordHistory({ stores, clock, random, keys: ['a', 'b'], attempts: 12, ttlMs: 200 }).finally(() => {
    running = false;
  });
  while (running && (await clock.runNext()));
  return checkHistory(await recorded);
}
