/**
 * A collection without order whose items know their place in it. For what comes and goes with every call: a `Set` does
 * it too, but its tables are rebuilt again and again, and dead tables keep alive what they held until the next full
 * garbage collection; that was a tenth of an acquire.
 */
export interface Bagged {
  /** Kept by the bag. An item is in one bag at most. */
  place: number;
}

export interface Bag<T extends Bagged> {
  /** Adding what is in it already does nothing. */
  add(item: T): void;
  /** False: it was not in it. */
  remove(item: T): boolean;
  size(): number;
  /** As of now: what is added or removed meanwhile does not show. */
  items(): readonly T[];
  clear(): void;
}

/** For a new item. */
export const nowhere = -1;

export function createBag<T extends Bagged>(): Bag<T> {
  const items: T[] = [];
  return {
    add(item) {
      // Looking up a place below zero is as slow as all the rest of a call.
      if (item.place >= 0 && items[item.place] === item) return;
      item.place = items.length;
      items.push(item);
    },
    remove(item) {
      const { place } = item;
      if (place < 0 || items[place] !== item) return false;
      const last = items.pop();
      if (last !== undefined && last !== item) {
        items[place] = last;
        last.place = place;
      }
      item.place = nowhere;
      return true;
    },
    size: () => items.length,
    items: () => items.slice(),
    clear() {
      for (const item of items) item.place = nowhere;
      items.length = 0;
    },
  };
}
