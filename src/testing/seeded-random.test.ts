import { describe, expect, it } from 'vitest';
import { seededRandom } from './seeded-random.ts';

describe('seededRandom', () => {
  it('gives the same for the same seed and something else for another', () => {
    const draw = (seed: number | string): readonly number[] => {
      const random = seededRandom(seed);
      return Array.from({ length: 20 }, () => random.fraction());
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).toEqual(draw('7'));
    expect(new Set([1, 2, 3, 'a', 'b'].map((seed) => draw(seed)[0])).size).toBe(5);
  });

  it('spreads fractions evenly over [0, 1)', () => {
    const random = seededRandom('spread');
    const buckets = new Array<number>(10).fill(0);
    for (let i = 0; i < 20_000; i++) {
      const fraction = random.fraction();
      expect(fraction >= 0 && fraction < 1).toBe(true);
      buckets[Math.floor(fraction * 10)] = (buckets[Math.floor(fraction * 10)] ?? 0) + 1;
    }
    for (const count of buckets) expect(Math.abs(count - 2_000)).toBeLessThan(250);
  });

  it('draws whole numbers with both ends, items, chances and hexadecimal', () => {
    const random = seededRandom(1);
    const drawn = new Set(Array.from({ length: 200 }, () => random.integer(3, 6)));
    expect([...drawn].sort()).toEqual([3, 4, 5, 6]);
    expect(new Set(Array.from({ length: 100 }, () => random.pick(['a', 'b']))).size).toBe(2);
    expect(() => random.pick([])).toThrow(RangeError);
    expect([random.chance(0), random.chance(1)]).toEqual([false, true]);
    expect(random.hex(6)).toMatch(/^[0-9a-f]{12}$/);
  });

  it('forks streams that do not disturb each other', () => {
    const alone = seededRandom(1).fork('a');
    const parent = seededRandom(1);
    parent.fork('b').fraction();
    parent.fraction();
    expect(parent.fork('a').fraction()).toBe(alone.fraction());
    expect(seededRandom(1).fork('a').fraction()).not.toBe(seededRandom(1).fork('b').fraction());
  });
});
