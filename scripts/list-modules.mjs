import { existsSync, readdirSync } from 'node:fs';

/** Names of the `.mjs` modules of a folder, sorted, without their ending. */
export function listModules(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => name.slice(0, -'.mjs'.length))
    .sort();
}
