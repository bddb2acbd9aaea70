/**
 * node scripts/mutation-group.mjs <group> <answer file> [<glob>]: the work of `npm run mutation` for one group, in a
 * process of its own. Stryker leaves its workers behind when it is told to stop; whoever starts this ends the group.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { mutationGroups } from './mutation-groups.mjs';
import { repositoryRoot } from './repository-root.mjs';

const [name, answerFile, only] = process.argv.slice(2);
writeFileSync(answerFile, JSON.stringify(await judgeGroup(name, only)));

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
    thresholds: { break: null, high: 100, low: 0 },
    // An endless loop is known after this time; on a busy machine less would take slow for endless.
    timeoutFactor: 2,
    timeoutMS: 10_000,
    // The copy needs no types, and Stryker cannot read them with this version of TypeScript.
    tsconfigFile: 'none',
    vitest: { configFile: 'scripts/mutation-vitest.mjs', related: false },
  }).runMutationTest();
  writeSurvivors(name, mutants);
  return summarise(name, mutants, (performance.now() - startedMs) / 1000);
}

function summarise(group, mutants, seconds) {
  const count = (...states) => mutants.filter(({ status }) => states.includes(status)).length;
  // An error outside of a test, such as a rejection that nobody handles, fails `npm test` as well.
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
