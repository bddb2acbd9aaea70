/**
 * npm run mutation [-- <group> … [--only <glob>]]: changes the sources in thousands of small ways and counts which changes the tests
 * notice. Below 85 % in a group it fails. The groups are in scripts/mutation-groups.mjs; survivors are listed in
 * .mutation/<group>.txt, and the line of every run is appended to bench/results/mutation.jsonl. With `--only`, while
 * you work on a file, it is not.
 */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { describeMachine } from './describe-machine.mjs';
import { formatTable } from './format-table.mjs';
import { mutationGroups } from './mutation-groups.mjs';
import { repositoryRoot } from './repository-root.mjs';

const scoreMin = 85;

process.exitCode = await main();

async function main() {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
  const unknown = positionals.find((name) => !Object.hasOwn(mutationGroups, name));
  if (unknown !== undefined) {
    console.error(`There is no group "${unknown}". There are: ${Object.keys(mutationGroups).join(', ')}.`);
    return 2;
  }
  process.chdir(repositoryRoot);
  const rows = [];
  for (const name of positionals.length > 0 ? positionals : Object.keys(mutationGroups)) {
    rows.push(await judgeGroup(name, values.only));
  }
  console.log(`\n${formatTable(rows)}`);
  if (values.only === undefined) writeDown(rows);
  return rows.every(({ score }) => score >= scoreMin) ? 0 : 1;
}

function writeDown(rows) {
  const folder = join(repositoryRoot, 'bench/results');
  mkdirSync(folder, { recursive: true });
  const line = JSON.stringify({ bench: 'mutation', scoreMin, machine: describeMachine(), rows });
  appendFileSync(join(folder, 'mutation.jsonl'), `${line}\n`);
}

async function judgeGroup(name, only) {
  const { mutate, tests } = mutationGroups[name];
  const startedMs = performance.now();
  process.env.KANNUKI_MUTATION_TESTS = JSON.stringify(tests);
  const mutants = await new Stryker({
    allowEmpty: false,
    checkers: [],
    concurrency: 2,
    coverageAnalysis: 'perTest',
    disableTypeChecks: false,
    ignorePatterns: ['/bench', '/dist', '/examples', '/web', '/.kannuki', '/.mutation', '/.test-report'],
    ignorers: ['texts'],
    // What runs once, while modules load, cannot be told apart by test and would cost a new process each.
    ignoreStatic: true,
    logLevel: 'warn',
    mutate: only === undefined ? [...mutate] : [only, '!**/*.test.ts'],
    plugins: ['@stryker-mutator/vitest-runner', join(repositoryRoot, 'scripts/ignore-texts.mjs')],
    reporters: process.stdout.isTTY ? ['progress'] : ['progress-append-only'],
    tempDirName: '.mutation/copy',
    testRunner: 'vitest',
    thresholds: { break: null, high: scoreMin, low: scoreMin },
    // An endless loop is known after this time; every one costs it.
    timeoutFactor: 2,
    timeoutMS: 3_000,
    // The copy needs no types, and Stryker cannot read them with this version of TypeScript.
    tsconfigFile: 'none',
    vitest: { configFile: 'scripts/mutation-vitest.config.mjs', related: false },
  }).runMutationTest();
  writeSurvivors(name, mutants);
  return summarise(name, mutants, (performance.now() - startedMs) / 1000);
}

function summarise(group, mutants, seconds) {
  const count = (...states) => mutants.filter(({ status }) => states.includes(status)).length;
  const [killed, timedOut] = [count('Killed', 'RuntimeError'), count('Timeout')];
  const [survived, uncovered] = [count('Survived'), count('NoCoverage')];
  const judged = killed + timedOut + survived + uncovered;
  const score = judged === 0 ? 0 : Math.floor(((killed + timedOut) / judged) * 1000) / 10;
  return { group, mutants: judged, killed, timedOut, survived, uncovered, score, seconds: Math.round(seconds) };
}

/** One line per mutant that no test noticed: where, what stood there, what stood there instead. */
function writeSurvivors(name, mutants) {
  const lines = mutants
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map(({ fileName, location, mutatorName, replacement, status }) => {
      const where = `${relative(repositoryRoot, fileName)}:${location.start.line}:${location.start.column}`;
      return `${where} ${status} ${mutatorName}: ${replacement.replace(/\s+/g, ' ').slice(0, 100)}`;
    });
  mkdirSync(join(repositoryRoot, '.mutation'), { recursive: true });
  writeFileSync(join(repositoryRoot, '.mutation', `${name}.txt`), `${lines.join('\n')}\n`);
}
