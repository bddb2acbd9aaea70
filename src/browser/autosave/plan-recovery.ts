/** What a new holder finds, and what follows. Pure. */
import { byAge } from './generation-name.ts';
import { type SavedVersion, versionOf } from './saved-file.ts';

/** Temporary files of earlier holders. A late rename of a dead tab must find nothing, so they go before anything is read. */
export function isStaleTemporary(name: string, token: number): boolean {
  return name.startsWith('.tmp-') && Number(name.split('-')[1]) < token;
}

/**
 * `current.json` without a generation of its own: its writer died in between, or its rename landed late. The next save
 * gives it one before it puts the new document in its place.
 */
export function isWithoutGeneration(current: SavedVersion, generations: readonly SavedVersion[]): boolean {
  return generations.every((version) => byAge(version, current));
}

/** `index.json`: a cache of the listing that every save writes anew, and a second witness of the highest token. */
export function indexOf(top: SavedVersion, generations: readonly SavedVersion[]): string {
  return JSON.stringify({ ...versionOf(top), generations: generations.map(versionOf) });
}
