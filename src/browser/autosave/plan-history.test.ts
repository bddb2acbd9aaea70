import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWithoutGeneration, planHistory, planShrink } from './plan-history.ts';
import type { SavedVersion } from './saved-file.ts';

const versions = (...sizes: readonly number[]): readonly SavedVersion[] =>
  sizes.map((bytes, at) => ({ token: 1, seq: at + 1, time: at, bytes }));
const seqs = (list: readonly SavedVersion[]): readonly number[] => list.map(({ seq }) => seq);
const limits = { maxGenerations: 20, maxBytes: 50 };

describe('planHistory', () => {
  it('makes 20 of 21 generations: the oldest goes', () => {
    const plan = planHistory(versions(...Array<number>(21).fill(1)), 1, limits);
    expect(plan.keep).toHaveLength(20);
    expect(seqs(plan.drop)).toEqual([1]);
  });

  it('stays under the bytes, current.json included', () => {
    const plan = planHistory(versions(10, 10, 10, 10, 10), 10, limits);
    expect(seqs(plan.keep)).toEqual([2, 3, 4, 5]);
    expect(seqs(plan.drop)).toEqual([1]);
  });

  it('passes over a generation that is too large, and keeps the small ones before it', () => {
    const plan = planHistory(versions(5, 5, 40), 40, limits);
    expect(seqs(plan.keep)).toEqual([1, 2]);
    expect(seqs(plan.drop)).toEqual([3]);
  });

  it('loses none, keeps order, and respects both limits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(60), { maxLength: 40 }),
        fc.nat(60),
        fc.nat(25),
        fc.nat(200),
        (sizes, currentBytes, maxGenerations, maxBytes) => {
          const all = versions(...sizes);
          const { keep, drop } = planHistory(all, currentBytes, { maxGenerations, maxBytes });
          expect([...keep, ...drop].sort((a, b) => a.seq - b.seq)).toEqual(all);
          expect(seqs(keep)).toEqual([...seqs(keep)].sort((a, b) => a - b));
          expect(keep.length).toBeLessThanOrEqual(maxGenerations);
          const sum = keep.reduce((bytes, version) => bytes + version.bytes, currentBytes);
          expect(keep.length === 0 || sum <= maxBytes).toBe(true);
        },
      ),
    );
  });
});

describe('planShrink', () => {
  it('drops the older half of what may go, and never below five', () => {
    const left: number[] = [];
    let list = versions(...Array<number>(20).fill(1));
    for (let plan = planShrink(list); plan.drop.length > 0; plan = planShrink(list)) {
      expect(seqs(plan.drop)).toEqual(seqs(list.slice(0, plan.drop.length)));
      list = plan.keep;
      left.push(list.length);
    }
    expect(left).toEqual([12, 8, 6, 5]);
    expect(planShrink(versions(1, 1)).drop).toEqual([]);
  });
});

describe('isWithoutGeneration', () => {
  it('compares token and count, in any order', () => {
    const version = (token: number, seq: number): SavedVersion => ({ token, seq, time: 0, bytes: 1 });
    const generations = [version(2, 1), version(1, 2), version(1, 1)];
    for (const current of generations) expect(isWithoutGeneration(current, generations)).toBe(false);
    expect(isWithoutGeneration(version(2, 2), generations)).toBe(true);
    expect(isWithoutGeneration(version(3, 1), generations)).toBe(true);
    expect(isWithoutGeneration(version(1, 1), [])).toBe(true);
  });
});
