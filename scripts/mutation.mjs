/**
 * npm run mutation [-- <group> … [--only <glob>]]: changes the sources in thousands of small ways and counts which
 * changes the tests notice. Below 85 % in a group it fails. The groups are in scripts/mutation-groups.mjs; survivors are listed in
 * .mutation/<group>.txt, and the line of every run is appended to bench/results/mutation.jsonl. With `--only`, while
 * you work on a file, it is not.
 */
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine } from './describe-machine.mjs';
import { formatTable } from './format-table.mjs';
import { mutationGroups } from './mutation-groups.mjs';
import { repositoryRoot } from './repository-root.mjs';
import { isStopping, runChild } from './run-child.mjs';

const scoreMin = 85;

process.exitCode = await main();

async function main() {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
  const unknown = positionals.find((name) => !Object.hasOwn(mutationGroups, name));
  if (unknown !== undefined) {
    console.error(`There is no group "${unknown}". There are: ${Object.keys(mutationGroups).join(', ')}.`);
    return 2;
  }
  const names = positionals.length > 0 ? positionals : Object.keys(mutationGroups);
  const rows = [];
  const output = mkdtempSync(join(tmpdir(), 'kannuki-mutation-'));
  try {
    for (const name of names) {
      const row = isStopping() ? undefined : await judgeGroup(name, join(output, `${name}.json`), values.only);
      if (row === undefined) return 1;
      rows.push(row);
    }
  } finally {
    rmSync(output, { recursive: true, force: true });
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

async function judgeGroup(name, answerFile, only) {
  const script = join(repositoryRoot, 'scripts/mutation-group.mjs');
  const { code, output, left } = await runChild(name, [script, name, answerFile, ...(only ? [only] : [])]);
  if (code === 0 && left.length === 0 && existsSync(answerFile)) return JSON.parse(readFileSync(answerFile, 'utf8'));
  console.error(`The group "${name}" failed with code ${code}. ${output} ${left.join('; ')}`.trim());
  return undefined;
}
