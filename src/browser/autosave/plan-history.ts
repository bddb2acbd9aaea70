/** Which generations stay. Pure. Lists are in order, oldest first. */
import { byAge } from './generation-name.ts';
import type { SavedVersion } from './saved-file.ts';

export interface HistoryLimits {
  readonly maxGenerations: number;
  /** `current.json` and the generations together. */
  readonly maxBytes: number;
}

export interface HistoryPlan {
  readonly keep: readonly SavedVersion[];
  readonly drop: readonly SavedVersion[];
}

/** However full the storage is, this many stay. */
const fewestGenerations = 5;

/**
 * The newest that fit. One that is too large is passed over, so that a huge document does not cost the history of the
 * small one before it; `current.json` itself is never refused for its size.
 */
export function planHistory(
  generations: readonly SavedVersion[],
  currentBytes: number,
  { maxGenerations, maxBytes }: HistoryLimits,
): HistoryPlan {
  const keep: SavedVersion[] = [];
  const drop: SavedVersion[] = [];
  let sum = currentBytes;
  for (const version of [...generations].reverse()) {
    const fits = keep.length < maxGenerations && sum + version.bytes <= maxBytes;
    if (fits) sum += version.bytes;
    (fits ? keep : drop).unshift(version);
  }
  return { keep, drop };
}

/** The storage is full: the older half of what may go. Nothing to drop: it cannot be helped. */
export function planShrink(generations: readonly SavedVersion[]): HistoryPlan {
  const at = Math.max(0, Math.ceil((generations.length - fewestGenerations) / 2));
  return { keep: generations.slice(at), drop: generations.slice(0, at) };
}

/**
 * `current.json` without a generation of its own: its writer died in between, or its rename landed late. The next save
 * gives it one before it puts the new document in its place.
 */
export function isWithoutGeneration(current: SavedVersion, generations: readonly SavedVersion[]): boolean {
  return generations.every((version) => byAge(version, current));
}
