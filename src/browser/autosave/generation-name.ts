import type { SaveName } from './saved-file.ts';

/** `history/<time>-<token>-<seq>.json`: two saves of one millisecond have two names. */
export function generationName({ time, token, seq }: SaveName): string {
  return `${time}-${token}-${seq}.json`;
}

/** Undefined for a file that is no generation: it is left alone. */
export function parseGenerationName(name: string): SaveName | undefined {
  const [time = 0, token = 0, seq = 0] = name.split(/[-.]/).map(Number);
  const version = { time, token, seq };
  return generationName(version) === name ? version : undefined;
}

/** Older first. By token and count, because clocks may be set. */
export function byAge(a: SaveName, b: SaveName): number {
  return a.token - b.token || a.seq - b.seq;
}
