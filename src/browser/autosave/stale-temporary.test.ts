import { expect, it } from 'vitest';
import { isStaleTemporary } from './stale-temporary.ts';

it('knows the temporaries of lower tokens, those that a browser swaps in included', () => {
  expect(isStaleTemporary('.tmp-4-1-c', 5)).toBe(true);
  expect(isStaleTemporary('.tmp-4-1-c.crswap', 5)).toBe(true);
  expect(isStaleTemporary('.tmp-5-1-c', 5)).toBe(false);
  expect(isStaleTemporary('.tmp-10-1-c', 9)).toBe(false);
});

it('leaves everything else alone', () => {
  for (const name of ['current.json', 'index.json', 'history', 'tmp-1-1-c', '.tmp-x']) {
    expect(isStaleTemporary(name, 5), name).toBe(false);
  }
});
