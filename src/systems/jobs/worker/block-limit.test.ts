import { expect, it } from 'vitest';
import { createBlockLimit } from './block-limit.ts';

it('lets small payloads through, and bounds large ones by their size', () => {
  const limit = createBlockLimit();
  limit.note(1_000, 30_000);
  expect(limit.runs).toBe(10_000);
  limit.note(100, 100_000_000);
  expect(limit.runs).toBe(8);
  limit.note(1, 100_000_000);
  expect(limit.runs).toBe(1);
  for (let i = 0; i < 20; i++) limit.note(limit.runs, limit.runs * 10);
  expect(limit.runs).toBe(10_000);
});

it('halves what was not answered, down to one, and grows again', () => {
  const limit = createBlockLimit();
  for (let asked = 500; asked > 1; asked = limit.runs) limit.halve(asked);
  expect(limit.runs).toBe(1);
  limit.halve(1);
  expect(limit.runs).toBe(1);
  limit.note(1, 10);
  expect(limit.runs).toBe(2);
});
