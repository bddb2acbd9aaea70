/**
 * npm run bench [-- <name> [--quick]]: one benchmark, or the list.
 *
 * A benchmark is a folder `bench/<name>/`. Each of its modules answers one question and exports
 *   title                            the question
 *   run({ quick, log }) → { rows }   objects of one shape, printed as a table
 * Modules run one after another, in order of their names, each in a process of its own so that none warms up another.
 * Files below `bench/<name>/` in deeper folders are not run: put workers there. What was seen, with the machine and
 * the date, is appended to bench/results/<name>.jsonl.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildOrExit } from './build-dist.mjs';
import { describeMachine } from './describe-machine.mjs';
import { formatTable } from './format-table.mjs';
import { listModules } from './list-modules.mjs';
import { repositoryRoot } from './repository-root.mjs';
import { isStopping, runChild, runProgram } from './run-child.mjs';

const folder = join(repositoryRoot, 'bench');

process.exitCode = await main();

async function main() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { quick: { type: 'boolean' } } });
  const names = listBenches();
  const [name] = positionals;
  if (name === undefined || !names.includes(name)) {
    console.log(
      `npm run bench -- <name> [--quick]\n\n${names.map((known) => `  ${known}`).join('\n') || '  (none yet)'}`,
    );
    return name === undefined ? 0 : 2;
  }
  await installCompetitors();
  await buildOrExit();
  const machine = describeMachine();
  console.log(Object.values(machine).join(' · '));
  const output = mkdtempSync(join(tmpdir(), 'kannuki-bench-'));
  try {
    const questions = [];
    for (const module of listModules(join(folder, name))) {
      const answer = isStopping() ? undefined : await runModule(name, module, values.quick === true, output);
      if (answer === undefined) return 1;
      questions.push(answer);
    }
    mkdirSync(join(folder, 'results'), { recursive: true });
    const line = { bench: name, quick: values.quick === true, machine, questions };
    appendFileSync(join(folder, 'results', `${name}.jsonl`), `${JSON.stringify(line)}\n`);
    return 0;
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

async function runModule(bench, module, quick, output) {
  const answerFile = join(output, `${module}.json`);
  const script = join(repositoryRoot, 'scripts/bench-module.mjs');
  const args = [script, join(folder, bench, `${module}.mjs`), answerFile, ...(quick ? ['--quick'] : [])];
  const { code, output: text, left } = await runChild(module, args);
  if (code !== 0 || left.length > 0 || !existsSync(answerFile)) {
    console.error(`${bench}/${module} failed with code ${code}. ${text} ${left.join('; ')}`.trim());
    return undefined;
  }
  const answer = JSON.parse(readFileSync(answerFile, 'utf8'));
  console.log(`\n${answer.title}\n\n${formatTable(answer.rows)}`);
  return { module, ...answer };
}

function listBenches() {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && listModules(join(folder, entry.name)).length > 0)
    .filter((entry) => entry.name !== 'node_modules')
    .map((entry) => entry.name)
    .sort();
}

/** The packages we measure against are no dependencies of ours: they live in bench/ and are installed when wanted. */
async function installCompetitors() {
  const [wanted, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map((name) =>
    join(folder, name),
  );
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return;
  console.log('Installing the packages to compare with (once) …');
  const { code, output } = await runProgram('npm ci', 'npm', ['ci'], { capture: true, cwd: folder });
  if (code === 0) return;
  console.error(`${output}\nThe packages to compare with could not be installed.`);
  process.exit(1);
}
