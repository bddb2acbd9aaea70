import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './run-child.mjs';

/** Packs the package into a folder. dist must be built: scripts are not run a second time. */
export async function packTarball(folder) {
  const args = ['pack', '--ignore-scripts', '--pack-destination', folder];
  const { code, output } = await runProgram('npm pack', 'npm', args, { capture: true });
  const name = readdirSync(folder).find((file) => file.endsWith('.tgz')) ?? 'missing.tgz';
  return { code, output, tarball: join(folder, name) };
}
