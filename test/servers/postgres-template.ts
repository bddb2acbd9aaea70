/**
 * A new data folder for a test's PostgreSQL, at a third of the cost of `initdb`: made once, by the same code as
 * the embedded server's, and copied from then on. The template is never started. Safe when several begin at once.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { platform } from '#platform';
import type { PostgresBinaries } from '../../src/embedded/find-binaries.ts';
import { initCluster } from '../../src/embedded/init-cluster.ts';
import type { RunAs } from '../../src/embedded/run-as.ts';

export interface NewCluster {
  readonly binaries: PostgresBinaries;
  readonly runAs: RunAs;
  /** Does not exist yet. */
  readonly dataDir: string;
}

const initCode = fileURLToPath(new URL('../../src/embedded/init-cluster.ts', import.meta.url));
const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

/** Makes the folder and gives the superuser's password. */
export async function copyCluster({ binaries, runAs, dataDir }: NewCluster): Promise<string> {
  const password = platform.random.hex(16);
  // Another user may not reach the cache, nor own what we copy.
  if (runAs.how === 'user') {
    await initCluster({ binaries, runAs, dataDir, passwordFile: `${dataDir}.password`, password, sync: false });
    return password;
  }
  const template = join(cacheFolder, `postgres-${binaries.major}-${fingerprintOf(binaries)}`);
  if (!existsSync(template)) await makeTemplate(template, { binaries, runAs, password });
  await promisify(execFile)('cp', ['-a', join(template, 'data'), dataDir]);
  return readFileSync(join(template, 'password'), 'utf8').trim();
}

async function makeTemplate(
  template: string,
  { binaries, runAs, password }: Omit<NewCluster, 'dataDir'> & { readonly password: string },
): Promise<void> {
  const partial = `${template}.${process.pid}`;
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  const [dataDir, passwordFile] = [join(partial, 'data'), join(partial, 'password')];
  await initCluster({ binaries, runAs, dataDir, passwordFile, password, sync: false });
  try {
    renameSync(partial, template);
  } catch (error) {
    // Somebody was quicker; theirs is as good.
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(template)) throw error;
  }
}

/** Other programs, or another way of making a folder, need another template. */
function fingerprintOf({ bin }: PostgresBinaries): string {
  const { size, mtimeMs } = statSync(join(bin, 'postgres'));
  const hash = createHash('sha256').update(readFileSync(initCode)).update(`${bin} ${size} ${mtimeMs}`);
  return hash.digest('hex').slice(0, 12);
}
