import { describe, expect, it } from 'vitest';
import { indexOf, isStaleTemporary, isWithoutGeneration } from './plan-recovery.ts';

const version = (token: number, seq: number, bytes = 10) => ({ token, seq, time: token * 100 + seq, bytes });

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

describe('isWithoutGeneration', () => {
  it('compares token and count, in any order', () => {
    const generations = [version(2, 1), version(1, 2), version(1, 1)];
    for (const current of generations) expect(isWithoutGeneration(current, generations)).toBe(false);
    expect(isWithoutGeneration(version(2, 2), generations)).toBe(true);
    expect(isWithoutGeneration(version(3, 1), generations)).toBe(true);
    expect(isWithoutGeneration(version(1, 1), [])).toBe(true);
  });
});

describe('indexOf', () => {
  it('says the highest token and lists what is kept', () => {
    expect(JSON.parse(indexOf(version(2, 1), [version(1, 1), version(2, 1)]))).toEqual({
      ...version(2, 1),
      generations: [version(1, 1), version(2, 1)],
    });
  });

  it('keeps documents out', () => {
    expect(indexOf({ ...version(1, 1), document: 'secret' } as never, [])).not.toContain('secret');
  });
});
