import type { SavedVersion } from './saved-file.ts';

/** `history/<time>-<token>-<seq>.json`: two saves of one millisecond have two names. */
export function generationName({ time, token, seq }: Omit<SavedVersion, 'bytes'>): string {
  return `${time}-${token}-${seq}.json`;
}

/** Undefined for a file that is no generation: it is left alone. */
export function parseGenerationName(name: string): Omit<SavedVersion, 'bytes'> | undefined {
  const parts = /^(\d+)-(\d+)-(\d+)\.json$/.exec(name);
  return parts ? { time: Number(parts[1]), token: Number(parts[2]), seq: Number(parts[3]) } : undefined;
}

/** Older first. By token and count, because clocks may be set. */
export function byAge(a: SavedVersion, b: SavedVersion): number {
  return a.token - b.token || a.seq - b.seq;
}
