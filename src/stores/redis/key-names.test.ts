import { expect, it } from 'vitest';
import { keyGroups } from './key-groups.ts';
import { keyNames } from './key-names.ts';
import { keySlot } from './key-slot.ts';

const names = keyNames('kannuki');
const awkward = ['a', '}', '}b', '{', '{}', 'a}b{c}', '%7D', '%', '%25', 'a:broken', '閂 x'];

it('gives every key a name of its own, and the key back', () => {
  for (const key of awkward) expect(names.keyOf(names.lease(key))).toBe(key);
  const all = awkward.flatMap((key) => [names.lease(key), names.reasons(key), names.fence(key)]);
  expect(new Set(all).size).toBe(all.length);
});

it('puts everything of one lease into one slot', () => {
  for (const key of awkward) expect(keySlot(names.reasons(key))).toBe(keySlot(names.lease(key)));
});

it('computes the slots that Redis does', () => {
  // From CLUSTER KEYSLOT of a server.
  expect(['foo', '123456789', '{user1000}.following', 'foo{}{bar}', '閂'].map(keySlot)).toEqual([
    12182, 12739, 3443, 8363, 15655,
  ]);
});

it('refuses a prefix that would break names', () => {
  for (const prefix of ['', 'a{b', 'a b', 'x'.repeat(65)]) expect(() => keyNames(prefix)).toThrow(/prefix/);
});

it('groups by size, and by slot in a cluster', () => {
  const many = Array.from({ length: 1_200 }, (_, i) => names.lease(`k${i}`));
  expect(keyGroups(many, 500, false).map((batch) => batch.map((group) => group.length))).toEqual([[500], [500], [200]]);
  const batches = keyGroups(many, 500, true);
  expect(batches.flat(2).sort((a, b) => a - b)).toEqual(many.map((_, i) => i));
  for (const batch of batches) {
    expect(batch.flat().length).toBeLessThanOrEqual(500);
    for (const group of batch) expect(new Set(group.map((i) => keySlot(many[i] ?? ''))).size).toBe(1);
  }
});
