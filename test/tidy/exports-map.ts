import { fileAt, isShipped, type RepositoryFile } from './repository.ts';

interface Manifest {
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly imports?: Readonly<Record<string, unknown>>;
  readonly bin?: Readonly<Record<string, string>>;
}

/** The index file of a top folder, store, system or provider; deeper ones are a folder's own business. */
const facePath = /^src\/(?:[^/]+|(?:stores|systems|testing)\/[^/]+|systems\/[^/]+\/providers\/[^/]+)\/index\.ts$/;

/** Source files that users can reach: from `exports`, `imports` and `bin` of package.json. */
export function entryPoints(files: readonly RepositoryFile[]): readonly string[] {
  const { exports = {}, imports = {}, bin = {} } = manifestOf(files);
  return [exports, imports, bin]
    .flatMap((map) => Object.values(map).flatMap(targetsOf))
    .filter(isBuilt)
    .map(sourceOf);
}

/** The exports map and the sources, compared both ways. */
export function findExportDrift(files: readonly RepositoryFile[]): readonly string[] {
  const paths = new Set(files.map((file) => file.path));
  const { exports = {} } = manifestOf(files);
  const exported = new Set(Object.values(exports).flatMap(targetsOf).filter(isBuilt).map(sourceOf));
  const missing = entryPoints(files)
    .filter((path) => !paths.has(path))
    .map((path) => `package.json names ${path.replace(/^src/, 'dist').replace(/ts$/, 'js')}, but there is no ${path}.`);
  const hidden = files
    .filter((file) => isShipped(file) && facePath.test(file.path) && !exported.has(file.path))
    .map((file) => `${file.path}: an index file is a public face, but package.json does not export it.`);
  const subpaths = Object.keys(exports);
  const unsorted = subpaths.join() === [...subpaths].sort().join() ? [] : ['package.json: the exports are not sorted.'];
  return [...missing, ...hidden, ...unsorted];
}

function manifestOf(files: readonly RepositoryFile[]): Manifest {
  return JSON.parse(fileAt(files, 'package.json').text) as Manifest;
}

function targetsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(targetsOf) : [];
}

function isBuilt(target: string): boolean {
  return target.startsWith('./dist/');
}

function sourceOf(target: string): string {
  return target.replace(/^\.\/dist\//, 'src/').replace(/\.d\.ts$|\.js$/, '.ts');
}
