import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeProject } from './judge-run.mjs';
import { repositoryRoot } from './repository-root.mjs';
import { runChild } from './run-child.mjs';

/** Runs one vitest project as a child and judges what it left behind. */
export async function runProject({ project, folder, workers, limitMs, reportFolder, env }) {
  if (!existsSync(join(repositoryRoot, folder))) {
    return { counts: { passed: 0, failed: 1, skipped: 0 }, problems: [`has no folder ${folder}`] };
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
  const { code, left, output } = await runChild(project, [vitest, ...args], { env, limitMs });
  if (output !== '') console.log(output);
  return judgeProject({ report: readReport(reportFile), code, left });
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Judged as a failure: a child that leaves no report did not finish.
    return undefined;
  }
}
