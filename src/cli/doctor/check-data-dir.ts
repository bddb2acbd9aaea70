import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { cliTokenPath } from '../cli-token.ts';
import { inspectDataDir } from '../compose.ts';
import { type Finding, fail, ok, sentenceOf, warn } from './finding.ts';

/** The folder of `serve`: there, ours to write, made with which engine, its token hidden from others. */
export async function checkDataDir(dataDir: string): Promise<readonly Finding[]> {
  const dir = resolve(dataDir);
  if (!existsSync(dir)) {
    return isWritable(nearestFolder(dir))
      ? [ok('data folder', `${dir} does not exist yet; "kannuki serve" makes it`)]
      : [fail('data folder', `${dir} cannot be made`, 'choose another folder with --data')];
  }
  if (!isWritable(dir))
    return [fail('data folder', `${dir} is not writable`, 'change its owner, or choose another with --data')];
  return [await checkEngine(dir), ...checkToken(dir)];
}

async function checkEngine(dir: string): Promise<Finding> {
  try {
    const made = await inspectDataDir(dir);
    if (!made) return ok('data folder', `${dir}, without a database yet`);
    const name = made.engine === 'postgres' ? 'private PostgreSQL' : 'PGlite, PostgreSQL';
    return made.engine === 'postgres'
      ? ok('data folder', `${dir} (${name} ${made.major})`)
      : warn(
          'data folder',
          `${dir} (${name} ${made.major}): survives a crash, not a power loss`,
          'use PostgreSQL where that matters',
        );
  } catch (error) {
    return fail('data folder', sentenceOf(error), 'restore a backup, or choose another folder with --data');
  }
}

function checkToken(dir: string): readonly Finding[] {
  const path = cliTokenPath(dir);
  if (process.platform === 'win32' || !existsSync(path)) return [];
  const others = statSync(path).mode & 0o077;
  return [
    others === 0 ? ok('local token', path) : fail('local token', `${path} can be read by others`, `chmod 600 ${path}`),
  ];
}

function nearestFolder(path: string): string {
  const parent = dirname(path);
  return parent === path || existsSync(parent) ? parent : nearestFolder(parent);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
