/**
 * `engine.json` remembers what a data folder was made with, so that no later start silently begins with another
 * engine and an empty database. It is written once, after the data exists: a folder with data and without the file
 * was interrupted in between, and its data says what it is.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { LeaseError } from '../core/errors.ts';

export type EmbeddedEngine = 'pglite' | 'postgres';

export interface EngineFile {
  readonly engine: EmbeddedEngine;
  /** Of PostgreSQL, also in PGlite. */
  readonly major: number;
}

/** Where each engine keeps its data below the folder. */
const dataFolders: Readonly<Record<EmbeddedEngine, string>> = { pglite: 'pglite/data', postgres: 'postgres' };

/** What the folder was made with; undefined = it is new. */
export function readEngineFile(dir: string): EngineFile | undefined {
  const path = join(dir, 'engine.json');
  const text = readIfThere(path);
  if (text === undefined) return guessFromData(dir);
  const { engine } = parse(text, path);
  const major = readMajor(dir, engine);
  if (major === undefined) {
    throw new LeaseError(
      `${path} says that its data is in ${join(dir, dataFolders[engine])}, but there is none; restore a backup, or remove ${dir} to begin anew.`,
      { code: 'store-corrupt' },
    );
  }
  return { engine, major };
}

export function writeEngineFile(dir: string, engine: EmbeddedEngine): EngineFile {
  const file = { engine, major: readMajor(dir, engine) ?? 0 };
  const path = join(dir, 'engine.json');
  const fd = openSync(`${path}.new`, 'w', 0o644);
  try {
    writeFileSync(fd, `${JSON.stringify(file, undefined, 2)}\n`);
    flushFile(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(`${path}.new`, path);
  return file;
}

/** Node's permission model, one reason to be without a server, forbids it; the data tells what the file would. */
function flushFile(fd: number): void {
  try {
    fsyncSync(fd);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ACCESS_DENIED') throw error;
  }
}

function guessFromData(dir: string): EngineFile | undefined {
  for (const engine of ['postgres', 'pglite'] as const) {
    const major = readMajor(dir, engine);
    if (major !== undefined) return { engine, major };
    const folder = join(dir, dataFolders[engine]);
    if (existsSync(folder) && readdirSync(folder).length > 0) {
      throw new LeaseError(`${folder} exists and is no PostgreSQL data folder; move it away, or use another folder.`, {
        code: 'store-corrupt',
      });
    }
  }
  return undefined;
}

/** The data itself is the truth about its version. */
function readMajor(dir: string, engine: EmbeddedEngine): number | undefined {
  const text = readIfThere(join(dir, dataFolders[engine], 'PG_VERSION'));
  const major = Number.parseInt(text ?? '', 10);
  return Number.isNaN(major) ? undefined : major;
}

function parse(text: string, path: string): { readonly engine: EmbeddedEngine } {
  try {
    const { engine } = JSON.parse(text) as { readonly engine?: unknown };
    if (engine === 'postgres' || engine === 'pglite') return { engine };
  } catch {
    // Said below, like any other text that is not ours.
  }
  throw new LeaseError(`${path} cannot be understood; restore it ({"engine":"postgres"} or {"engine":"pglite"}).`, {
    code: 'store-corrupt',
  });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
