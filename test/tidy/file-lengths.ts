import type { RepositoryFile } from './repository.ts';

/** Aim under 150 lines, explain over 300, never over 500. */
export const linesMax = 500;
export const linesToExplain = 300;

/** Code files over the limit. */
export function findLongFiles(files: readonly RepositoryFile[], max: number = linesMax): readonly string[] {
  return files
    .filter((file) => /\.(ts|mjs|js)$/.test(file.path))
    .map((file) => ({ path: file.path, lines: file.text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > max)
    .map(
      ({ path, lines }) => `${path}: ${lines} lines, more than ${max}. One idea per file: give the second one a name.`,
    );
}
