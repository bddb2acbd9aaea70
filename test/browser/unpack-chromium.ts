/** Unpacks the browser inside the npm package, once per version. Safe when several test files begin at once. */
import { createReadStream, createWriteStream, existsSync, linkSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';

const packageFolder = fileURLToPath(new URL('../../node_modules/@sparticuz/chromium/', import.meta.url));
const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));

/** The path of the program. Its own unpacking writes to one fixed name, where a second starter meets half a file. */
export async function unpackChromium(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  const program = join(cacheFolder, `chromium-${version}`, 'chromium');
  if (existsSync(program)) return program;
  mkdirSync(dirname(program), { recursive: true });
  const partial = `${program}.${process.pid}`;
  await pipeline(
    createReadStream(join(packageFolder, 'bin/chromium.br')),
    createBrotliDecompress(),
    createWriteStream(partial, { mode: 0o755 }),
  );
  // Never over one that is there: another stage may run it already, and it starts its own processes from this name.
  try {
    linkSync(partial, program);
  } catch (error) {
    if (!existsSync(program)) throw error;
  } finally {
    rmSync(partial);
  }
  return program;
}
