import type { Random } from '../core/ports.ts';

export interface SeededRandom extends Random {
  /** True with this probability. */
  chance(probability: number): boolean;
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number;
  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
  /** A stream of its own, so that one part drawing more does not change another. */
  fork(name: string): SeededRandom;
}

/** Chance that comes out the same for the same seed: sfc32, 128 bits of state, seeded through a hash of the text. */
export function seededRandom(seed: number | string): SeededRandom {
  let [a, b, c, d] = stateOf(String(seed));
  const next = (): number => {
    const t = (a + b + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    return t >>> 0;
  };
  // The first numbers still show the seed.
  for (let i = 0; i < 15; i++) next();

  const fraction = (): number => next() / 2 ** 32;
  const integer = (min: number, max: number): number => min + Math.floor(fraction() * (max - min + 1));
  return {
    fraction,
    hex: (bytes) => Array.from({ length: bytes }, () => (next() & 0xff).toString(16).padStart(2, '0')).join(''),
    chance: (probability) => fraction() < probability,
    integer,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new RangeError('Nothing can be picked from an empty list.');
      return list[integer(0, list.length - 1)] as T;
    },
    fork: (name) => seededRandom(`${seed}/${name}`),
  };
}

/** Four words from a text, each by FNV-1a from another start. */
function stateOf(text: string): [number, number, number, number] {
  const word = (start: number): number => {
    let hash = start;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    return hash | 0;
  };
  return [word(0x811c9dc5), word(0x9e3779b9), word(0x85ebca6b), word(0xc2b2ae35)];
}
