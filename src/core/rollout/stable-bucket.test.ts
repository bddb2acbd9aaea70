import { expect, it } from 'vitest';
import { stableBucket } from './stable-bucket.ts';

it('spreads similar ids evenly', () => {
  const counts = Array.from({ length: 20 }, () => 0);
  for (let i = 0; i < 20_000; i++) {
    const slot = Math.floor(stableBucket(`client-${i}`) * 20);
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});

it('never moves anybody: these values must stay as they are', () => {
  expect(['', 'ada', 'client-2', '閂'].map((id) => Math.round(stableBucket(id) * 1e6))).toEqual([
    668_922, 461_727, 29_408, 3_777,
  ]);
});
