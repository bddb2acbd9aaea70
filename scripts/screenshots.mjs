/**
 * npm run screenshots [-- --folder DIR] [--only NAME,…] [--small] [--png]: every page of the web application on the real server
 * with a day of made-up runs, as pictures. The folder is docs/images unless another is named.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { buildOrExit } from './build-dist.mjs';
import { repositoryRoot } from './repository-root.mjs';

const { values } = parseArgs({
  options: {
    folder: { type: 'string' },
    only: { type: 'string' },
    small: { type: 'boolean' },
    png: { type: 'boolean' },
  },
});
await buildOrExit();
const root = repositoryRoot;
// Inside the repository, so that packages are found from there.
const place = mkdtempSync(join(root, 'node_modules/.cache/screenshots-'));
try {
  const outfile = join(place, 'test/web/take-screenshots.mjs');
  await build({
    entryPoints: [join(root, 'test/web/take-screenshots.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias: { '#platform': join(root, 'src/platform/node.ts') },
    // The helpers look for the program beside themselves.
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(root, 'test/web/take-screenshots.ts')).href) },
  });
  const { takeScreenshots } = await import(pathToFileURL(outfile).href);
  const folder = resolve(values.folder ?? join(root, 'docs/images'));
  const taken = await takeScreenshots({
    folder,
    ...(values.only && { only: values.only }),
    small: values.small === true,
    format: values.png ? 'png' : 'webp',
  });
  console.log(`${taken} pictures in ${folder}`);
} finally {
  rmSync(place, { recursive: true, force: true });
}
