/** The checks that are no vitest project. Each counts as one test. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildDist } from './build-dist.mjs';
import { packTarball } from './pack-tarball.mjs';
import { repositoryRoot } from './repository-root.mjs';
import { isStopping, runChild } from './run-child.mjs';

const tool = (path) => join(repositoryRoot, 'node_modules', path);
const tsc = (project) => [tool('typescript/bin/tsc'), '--noEmit', '-p', project];

/**
 * What is built comes first, then two rows side by side: most of them use one core. The package checks look at the
 * tarball, because that is what users get.
 */
function checksFor(folder) {
  let tarball = '';
  const node = (name, ...args) => ({ name, run: () => runChild(name, args, { capture: true }) });
  const types = [
    node('types', ...tsc('tsconfig.json')),
    node('types of the browser parts', ...tsc('src/browser/tsconfig.json')),
    node('types of the core', ...tsc('src/core/tsconfig.json')),
    node('types of the tests', ...tsc('tsconfig.test.json')),
    node('types of the browser tests', ...tsc('test/browser/tsconfig.json')),
    node('types of the pages', ...tsc('web/tsconfig.json')),
    node('types of the pages’ tests', ...tsc('test/web/tsconfig.json')),
  ];
  const others = [
    node('biome', tool('@biomejs/biome/bin/biome'), 'ci', '--error-on-warnings', '--colors=off', '.'),
    node('knip', tool('knip/bin/knip.js'), '--no-progress'),
    {
      name: 'pack',
      run: async () => {
        const packed = await packTarball(folder);
        tarball = packed.tarball;
        return packed;
      },
    },
    { name: 'publint', run: () => onTarball(['publint/src/cli.js', 'run', tarball, '--strict']) },
    {
      name: 'attw',
      run: () => onTarball(['@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'esm-only', '--no-emoji']),
    },
  ];
  return { build: { name: 'build', run: buildDist }, rows: [types, others] };

  function onTarball([script, ...args]) {
    if (!existsSync(tarball)) return { code: 1, output: 'There is no tarball to check.' };
    return runChild(script, [tool(script), ...args], { capture: true });
  }
}

/** @returns {Promise<{ counts: import('./judge-run.mjs').Counts }>} */
export async function runChecks(folder) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const runRow = async (row) => {
    for (const { name, run } of row) {
      if (isStopping()) break;
      const startedMs = performance.now();
      const { code, output } = await run();
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      console.log(` ${code === 0 ? '✓' : '×'} ${name} ${seconds} s`);
      if (code !== 0) console.log(output.trimEnd().replace(/^/gm, '     '));
      counts[code === 0 ? 'passed' : 'failed']++;
    }
  };
  const { build, rows } = checksFor(folder);
  await runRow([build]);
  await Promise.all(rows.map(runRow));
  return { counts };
}
