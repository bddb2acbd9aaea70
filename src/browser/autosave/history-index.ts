import { type SavedVersion, versionOf } from './saved-file.ts';

/** `index.json`: a cache of the listing that every save writes anew, and a second witness of the highest token. */
export function historyIndex(top: SavedVersion, generations: readonly SavedVersion[]): string {
  return JSON.stringify({ ...versionOf(top), generations: generations.map(versionOf) });
}
