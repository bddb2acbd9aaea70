import { keySlot } from './key-slot.ts';

/**
 * Numbers of names in groups that one script may touch: at most `size` each, so that the server answers others in
 * between, and in a cluster those of one slot. Groups that fit `size` together form a batch, to be sent at once.
 */
export function keyGroups(
  names: readonly string[],
  size: number,
  cluster: boolean,
): readonly (readonly (readonly number[])[])[] {
  const bySlot = new Map<number, number[]>();
  names.forEach((name, i) => {
    const slot = cluster ? keySlot(name) : 0;
    const group = bySlot.get(slot);
    if (group) group.push(i);
    else bySlot.set(slot, [i]);
  });
  const batches: number[][][] = [];
  let room = 0;
  for (const group of bySlot.values()) {
    for (let from = 0; from < group.length; from += size) {
      const part = group.slice(from, from + size);
      if (part.length > room) {
        batches.push([]);
        room = size;
      }
      batches.at(-1)?.push(part);
      room -= part.length;
    }
  }
  return batches;
}
