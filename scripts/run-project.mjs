import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeProject } from './judge-run.mjs';
import { repositoryRoot } from './repository-root.mjs';
import { runChild } from './run-child.mjs';

/** Runs one vitest project as a child and judges what it left behind. `output`: what it printed, where that was asked for. */
export async function runProject({ project, folder, workers, capture = false, limitMs, reportFolder, env }) {
  if (!existsSync(join(repositoryRoot, folder))) {
    return { counts: { passed: 0, failed: 1, skipped: 0 }, problems: [`has no folder ${folder}`], output: '' };
  }
  const reportFile = join(reportFolder, `${project}.json`);
  const args = [
    'run',
    `--project=${project}`,
    ...(workers ? [`--maxWorkers=${workers}`] : []),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportFile}`,
  ];
  const vitest = join(repositoryRoot, 'node_modules/vitest/vitest.mjs');
  // A pipe is no terminal, yet what it carries is printed on ours.
  const colours = capture && process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
  const options = { capture, env: { ...colours, ...env }, limitMs };
  const { code, left, output } = await runChild(project, [vitest, ...args], options);
  return { ...judgeProject({ report: readReport(reportFile), code, left }), output };
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Judged as a failure: a child that leaves no report did not finish.
    return undefined;
  }
}
