import { expect, it } from 'vitest';
import { followsPlace } from './follows-place.ts';

it('a page begins after the place it was asked for: nothing comes twice, nothing is left out', () => {
  const after = { key: 'b', token: 5 };
  expect(followsPlace({ key: 'b', token: 5 }, undefined)).toBe(true);
  expect(followsPlace({ key: 'b', token: 4 }, after)).toBe(false);
  expect(followsPlace({ key: 'b', token: 5 }, after)).toBe(false);
  expect(followsPlace({ key: 'b', token: 6 }, after)).toBe(true);
  // Which key comes after which is the store's own order.
  expect(followsPlace({ key: 'a', token: 1 }, after)).toBe(true);
});
