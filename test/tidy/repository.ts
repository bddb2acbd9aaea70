import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A text file of the repository. Checks are pure functions of such files, so that a bad one can be planted. */
export interface RepositoryFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export const repositoryRoot: string = fileURLToPath(new URL('../../', import.meta.url));

/** Every text file and picture (without a text) below `root` that .gitignore does not name. Works in a checkout without git as well. */
export function readRepository(root: string = repositoryRoot): readonly RepositoryFile[] {
  const isIgnored = ignoreRules(readFileSync(join(root, '.gitignore'), 'utf8'));
  const files: RepositoryFile[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (isIgnored(entry.name, entry.isDirectory())) continue;
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) {
        const bytes = readFileSync(path);
        const text = bytes.includes(0) ? '' : bytes.toString();
        if (text !== '' || bytes.length === 0 || /\.(png|webp)$/.test(path))
          files.push({ path: relative(root, path).split(sep).join('/'), text });
      }
    }
  };
  visit(root);
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Understands what our .gitignore uses: `folder/` and `*.ending`. Anything else there is an error, not a guess. */
export function ignoreRules(gitignore: string): (name: string, isDirectory: boolean) => boolean {
  const folders = new Set(['.git']);
  const endings: string[] = [];
  for (const line of gitignore.split('\n').map((text) => text.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    if (/^[\w.-]+\/$/.test(line)) folders.add(line.slice(0, -1));
    else if (/^\*\.\w+$/.test(line)) endings.push(line.slice(1));
    else throw new Error(`.gitignore: "${line}" is neither "folder/" nor "*.ending"; teach test/tidy/repository.ts.`);
  }
  return (name, isDirectory) => (isDirectory ? folders.has(name) : endings.some((ending) => name.endsWith(ending)));
}

/** The one file at `path`; its absence is a broken repository. */
export function fileAt(files: readonly RepositoryFile[], path: string): RepositoryFile {
  const file = files.find((candidate) => candidate.path === path);
  if (!file) throw new Error(`${path} is missing.`);
  return file;
}

export function isSource(file: RepositoryFile): boolean {
  return file.path.startsWith('src/') && file.path.endsWith('.ts');
}

export function isTest(file: RepositoryFile): boolean {
  return file.path.endsWith('.test.ts');
}

/** What is shipped: sources without their tests and without declarations of other people's modules. */
export function isShipped(file: RepositoryFile): boolean {
  return isSource(file) && !isTest(file) && !file.path.endsWith('.d.ts');
}
