/**
 * PGlite as tests get it (see the alias in vitest.config.ts): in memory, it begins as a copy of a new database that was
 * saved once, at a sixth of what making one costs. Folders are made as ever.
 */
import { existsSync, mkdirSync, openAsBlob, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
// By its path: its name leads here.
import { PGlite as FullPglite, type PGliteOptions } from '../../node_modules/@electric-sql/pglite/dist/index.js';

const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
const packageFile = fileURLToPath(new URL('../../node_modules/@electric-sql/pglite/package.json', import.meta.url));

export const PGlite = {
  async create(options: PGliteOptions = {}): Promise<FullPglite> {
    const inMemory = options.dataDir === undefined || options.dataDir === 'memory://';
    return FullPglite.create(inMemory ? { ...options, loadDataDir: await openAsBlob(await findTemplate()) } : options);
  },
};

async function findTemplate(): Promise<string> {
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { readonly version: string };
  const template = join(cacheFolder, `pglite-${version}.tar`);
  if (!existsSync(template)) {
    const made = await FullPglite.create();
    const partial = `${template}.${process.pid}`;
    mkdirSync(cacheFolder, { recursive: true });
    writeFileSync(partial, new Uint8Array(await (await made.dumpDataDir('none')).arrayBuffer()));
    await made.close();
    // Whoever made one at the same time made the same.
    renameSync(partial, template);
  }
  return template;
}
