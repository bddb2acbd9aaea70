import { expect, it } from 'vitest';
import { createWallTimes } from './wall-times.ts';

it('names its times one after another, in a calendar without clock changes', () => {
  const walls = createWallTimes('30 2 * * *');
  const first = Date.parse('2026-03-08T02:30:00Z');
  expect(walls.after(first - 1_000)).toBe(first);
  expect(walls.after(first)).toBe(first + 86_400_000);
  expect(createWallTimes('0 0 30 2 *').after(first)).toBeUndefined();
});

it('knows whether a person expects it at an hour or at an interval, with or without seconds', () => {
  const lines = ['30 2 * * *', '0 30 2 * * *', '*/5 * * * *', '0 */5 * * * *', '0 */6 * * *', '  30 2 * * *  '];
  expect(lines.map((line) => createWallTimes(line).namesHour)).toEqual([true, true, false, false, false, true]);
});
