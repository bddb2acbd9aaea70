import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Bagged, createBag, nowhere } from './bag.ts';

it('holds what a Set would hold, after any steps', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('add', 'remove', 'clear'), fc.nat({ max: 9 })), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (taken) => {
      const items: Bagged[] = Array.from({ length: 10 }, () => ({ place: nowhere }));
      const bag = createBag<Bagged>();
      const set = new Set<Bagged>();
      for (const [step, n] of taken) {
        const item = items[n] as Bagged;
        if (step === 'clear' && n === 0) {
          bag.clear();
          set.clear();
        } else if (step === 'add') {
          bag.add(item);
          set.add(item);
        } else expect(bag.remove(item)).toBe(set.delete(item));
        expect(bag.size()).toBe(set.size);
        expect(new Set(bag.items())).toEqual(set);
      }
    }),
  );
});

it('an item of another bag is not taken out', () => {
  const [one, other] = [createBag<Bagged>(), createBag<Bagged>()];
  const [mine, theirs] = [{ place: nowhere }, { place: nowhere }];
  one.add(mine);
  other.add(theirs);
  expect(one.remove(theirs)).toBe(false);
  expect(other.items()).toEqual([theirs]);
});

it('whoever walks over the items may add and remove meanwhile', () => {
  const bag = createBag<Bagged>();
  const items = [{ place: nowhere }, { place: nowhere }];
  for (const item of items) bag.add(item);
  for (const item of bag.items()) expect(bag.remove(item)).toBe(true);
  expect(bag.size()).toBe(0);
});

it('an item that was cleared out of one bag, or carries a place of old, can be added', () => {
  const [one, other] = [createBag<Bagged>(), createBag<Bagged>()];
  const item = { place: 0 };
  other.add({ place: nowhere });
  one.add(item);
  expect(one.items()).toEqual([item]);
  expect(one.remove(item)).toBe(true);
  expect(item.place).toBe(nowhere);
});
