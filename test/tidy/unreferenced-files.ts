import { posix } from 'node:path';
import { entryPoints } from './exports-map.ts';
import { isShipped, type RepositoryFile } from './repository.ts';
import { importsOf } from './syntax.ts';

/** Shipped files that no entry point reaches. A file used by tests alone belongs into `test/`. */
export function findUnreferencedFiles(files: readonly RepositoryFile[]): readonly string[] {
  const sources = new Map(files.filter(isShipped).map((file) => [file.path, file]));
  const reached = new Set<string>();
  const visit = (path: string): void => {
    const file = sources.get(path);
    if (!file || reached.has(path)) return;
    reached.add(path);
    for (const { specifier } of importsOf(file)) {
      if (specifier.startsWith('.')) visit(posix.join(posix.dirname(path), specifier).replace(/\.js$/, '.ts'));
    }
  };
  for (const entry of entryPoints(files)) visit(entry);
  return [...sources.keys()]
    .filter((path) => !reached.has(path))
    .map((path) => `${path}: no entry point of package.json reaches it. Use it or remove it.`);
}
