/** What a new holder puts right before its first save. Pure. */
import { byAge } from './generation-name.ts';
import { type HistoryLimits, planHistory } from './plan-history.ts';
import { type SavedVersion, versionOf } from './saved-file.ts';

export interface FoundVersions {
  /** `current.json`, when it proves itself. */
  readonly current: SavedVersion | undefined;
  /** In any order. */
  readonly generations: readonly SavedVersion[];
  /** The text of `index.json`; undefined: there is none. */
  readonly indexText: string | undefined;
  readonly limits: HistoryLimits;
}

export interface RecoveryPlan {
  /** `current.json` has no generation of its own: the writer died in between. Copy it. */
  readonly copyCurrent: boolean;
  /** In order, the copy included. */
  readonly generations: readonly SavedVersion[];
  /** What `index.json` must say; undefined: it says so. */
  readonly indexText: string | undefined;
}

/** Temporary files of earlier holders. A late rename of a dead tab must find nothing, so they go before anything is read. */
export function isStaleTemporary(name: string, token: number): boolean {
  return name.startsWith('.tmp-') && Number(name.split('-')[1]) < token;
}

export function planRecovery({ current, generations, indexText, limits }: FoundVersions): RecoveryPlan {
  const copyCurrent =
    current !== undefined &&
    !generations.some((version) => byAge(version, current) === 0) &&
    planHistory([...generations, current], current.bytes, limits).keep.includes(current);
  const all = [...generations, ...(copyCurrent ? [current] : [])].sort(byAge);
  const top = current ?? all.at(-1);
  const text = top && indexOf(top, all);
  return { copyCurrent, generations: all, indexText: text === indexText ? undefined : text };
}

/** `index.json`: a cache of the listing that anybody can rebuild, and a second witness of the highest token. */
export function indexOf(top: SavedVersion, generations: readonly SavedVersion[]): string {
  return JSON.stringify({ ...versionOf(top), generations: generations.map(versionOf) });
}
