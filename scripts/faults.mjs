/**
 * npm run faults [-- <name> [--rounds N] [--seed S]]: the long forms of the fault tests, or their list.
 *
 * A long form is the same test as in `npm test` with more rounds, named in scripts/fault-tests.mjs. Each experiment
 * prints one line `fault-summary {…}`; the last line of the output is a JSON object with all of them.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildOrExit } from './build-dist.mjs';
import { faultTests } from './fault-tests.mjs';
import { formatTable } from './format-table.mjs';
import { repositoryRoot } from './repository-root.mjs';
import { runChild } from './run-child.mjs';

process.exitCode = await main();

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: 'string' }, seed: { type: 'string' } },
  });
  const [name] = positionals;
  if (name === undefined) return printList();
  const fault = faultTests[name];
  if (fault === undefined) {
    console.error(`There is no fault test "${name}". There are: ${Object.keys(faultTests).join(', ')}.`);
    return 2;
  }
  const rounds = wholeNumber('--rounds', values.rounds, 1) ?? fault.rounds;
  const seed = wholeNumber('--seed', values.seed, 0);
  await buildOrExit();
  console.log(`${name}: ${fault.title} (${rounds} rounds)`);
  const args = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    fault.project,
    fault.file,
    ...(fault.tests ? ['--testNamePattern', fault.tests] : []),
    '--disableConsoleIntercept',
  ];
  const env = {
    [fault.variable]: String(rounds),
    ...(seed !== undefined && fault.seed && { [fault.seed]: String(seed) }),
  };
  const { code, output, seconds, left } = await runChild(name, args, { capture: true, env });
  console.log(output);
  const summaries = [...output.matchAll(/^fault-summary (\{.*\})$/gm)].map(([, text]) => JSON.parse(text));
  const ok = code === 0 && left.length === 0 && summaries.length > 0;
  console.log(
    JSON.stringify({
      fault: name,
      ok,
      rounds,
      ...(seed !== undefined && { seed }),
      seconds: Math.round(seconds),
      summaries,
    }),
  );
  const { title } = fault;
  writeDown({ name, title, ok, rounds, ...(seed !== undefined && { seed }), seconds: Math.round(seconds) });
  return ok ? 0 : 1;
}

/** For the page of guarantees: the build lays this file beside the program. */
function writeDown(result) {
  const folder = join(repositoryRoot, 'bench/results');
  mkdirSync(folder, { recursive: true });
  const line = JSON.stringify({ ...result, date: new Date().toISOString() });
  appendFileSync(join(folder, 'faults.jsonl'), `${line}\n`);
}

function printList() {
  const rows = Object.entries(faultTests).map(([name, { title, rounds }]) => ({ name, title, rounds }));
  console.log(`${formatTable(rows)}\n\nnpm run faults -- <name> [--rounds N] [--seed S]`);
  return 0;
}

function wholeNumber(option, text, min) {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= min) return value;
  console.error(`${option} must be a whole number of at least ${min}, got "${text}".`);
  process.exit(2);
}
