import { describe, expect, it } from 'vitest';
import { indexOf, isStaleTemporary, planRecovery } from './plan-recovery.ts';

const version = (token: number, seq: number, bytes = 10) => ({ token, seq, time: token * 100 + seq, bytes });
const limits = { maxGenerations: 20, maxBytes: 100 };

describe('isStaleTemporary', () => {
  it('knows the temporaries of lower tokens, those that a browser swaps in included', () => {
    expect(isStaleTemporary('.tmp-4-1-c', 5)).toBe(true);
    expect(isStaleTemporary('.tmp-4-1-c.crswap', 5)).toBe(true);
    expect(isStaleTemporary('.tmp-5-1-c', 5)).toBe(false);
    expect(isStaleTemporary('.tmp-10-1-c', 9)).toBe(false);
    for (const name of ['current.json', 'index.json', 'history', 'tmp-1-1-c', '.tmp-x']) {
      expect(isStaleTemporary(name, 5), name).toBe(false);
    }
  });
});

describe('planRecovery', () => {
  it('finds nothing to do where everything agrees, and where nothing was saved', () => {
    const generations = [version(1, 1), version(1, 2)];
    const indexText = indexOf(version(1, 2), generations);
    expect(planRecovery({ current: version(1, 2), generations, indexText, limits })).toEqual({
      copyCurrent: false,
      generations,
      indexText: undefined,
    });
    expect(planRecovery({ current: undefined, generations: [], indexText: undefined, limits })).toEqual({
      copyCurrent: false,
      generations: [],
      indexText: undefined,
    });
  });

  it('gives a current without a generation its own: its writer died in between', () => {
    const plan = planRecovery({
      current: version(2, 1),
      generations: [version(1, 2), version(1, 1)],
      indexText: undefined,
      limits,
    });
    expect(plan.copyCurrent).toBe(true);
    expect(plan.generations).toEqual([version(1, 1), version(1, 2), version(2, 1)]);
    expect(JSON.parse(plan.indexText ?? '')).toMatchObject({ token: 2, seq: 1 });
  });

  it('does not copy a current that is too large to be kept twice', () => {
    const plan = planRecovery({ current: version(2, 1, 60), generations: [], indexText: undefined, limits });
    expect(plan.copyCurrent).toBe(false);
    expect(JSON.parse(plan.indexText ?? '')).toMatchObject({ token: 2, generations: [] });
  });

  it('rebuilds an index that is missing, torn or behind', () => {
    const generations = [version(1, 1), version(1, 2)];
    const right = indexOf(version(1, 2), generations);
    const behind = indexOf(version(1, 1), [version(1, 1)]);
    for (const indexText of [undefined, right.slice(0, 20), behind]) {
      expect(planRecovery({ current: version(1, 2), generations, indexText, limits }).indexText).toBe(right);
    }
  });

  it('takes the highest token from the generations when current does not prove itself', () => {
    const plan = planRecovery({
      current: undefined,
      generations: [version(3, 1), version(2, 9)],
      indexText: undefined,
      limits,
    });
    expect(JSON.parse(plan.indexText ?? '')).toMatchObject({ token: 3, seq: 1 });
  });
});
