/**
 * npm run faults [-- <name> [--rounds N] [--seed S]]: the long forms of the fault tests, or their list.
 *
 * A long form is `test/faults/<name>.mjs` and exports
 *   title                                      one sentence
 *   run({ rounds, seed, log, signal }) → { ok, … }
 * `rounds` and `seed` are undefined unless given; `ok: false` or a throw means that a promise was broken. What it
 * returns is printed as one line of JSON, the last line of the output.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { buildOrExit } from './build-dist.mjs';
import { formatTable } from './format-table.mjs';
import { listModules } from './list-modules.mjs';
import { repositoryRoot } from './repository-root.mjs';

const folder = join(repositoryRoot, 'test/faults');

process.exitCode = await main();

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: 'string' }, seed: { type: 'string' } },
  });
  const names = listModules(folder);
  const [name] = positionals;
  if (name === undefined) return printList(names);
  if (!existsSync(join(folder, `${name}.mjs`))) {
    console.error(`There is no fault test "${name}". There are: ${names.join(', ') || 'none'}.`);
    return 2;
  }
  const rounds = wholeNumber('--rounds', values.rounds, 1);
  const seed = wholeNumber('--seed', values.seed, 0);
  await buildOrExit();
  return runFault(name, rounds, seed);
}

async function runFault(name, rounds, seed) {
  const { title, run } = await import(pathToFileURL(join(folder, `${name}.mjs`)).href);
  console.log(`${name}: ${title}`);
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => controller.abort(new Error(`stopped by ${signal}`)));
  const startedMs = performance.now();
  const log = (text) => console.log(`  ${text}`);
  let summary;
  try {
    summary = await run({ rounds, seed, log, signal: controller.signal });
  } catch (error) {
    console.error(error);
    summary = { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
  if (typeof summary?.ok !== 'boolean') throw new Error(`test/faults/${name}.mjs must return { ok: true | false, … }.`);
  const seconds = Math.round(performance.now() - startedMs) / 1000;
  console.log(JSON.stringify({ fault: name, seconds, ...summary }));
  return summary.ok ? 0 : 1;
}

async function printList(names) {
  const rows = [];
  for (const name of names)
    rows.push({ name, title: (await import(pathToFileURL(join(folder, `${name}.mjs`)).href)).title });
  console.log(rows.length > 0 ? formatTable(rows) : 'There is no fault test yet.');
  console.log('\nnpm run faults -- <name> [--rounds N] [--seed S]');
  return 0;
}

function wholeNumber(option, text, min) {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= min) return value;
  console.error(`${option} must be a whole number of at least ${min}, got "${text}".`);
  process.exit(2);
}
