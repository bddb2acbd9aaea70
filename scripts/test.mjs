// npm test [-- --only checks,unit] [-- --in-turn] [-- --list]: every stage, then which real components took part, then
// the count. Two stages run side by side (see run-side-by-side.mjs); --in-turn runs one at a time, to time them.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatTable } from './format-table.mjs';
import { judgeRun, parseComponents, sumComponents } from './judge-run.mjs';
import { repositoryRoot } from './repository-root.mjs';
import { runChecks } from './run-checks.mjs';
import { isStopping } from './run-child.mjs';
import { runProject } from './run-project.mjs';
import { runSideBySide } from './run-side-by-side.mjs';
import { chooseStages, patience, stages } from './test-stages.mjs';

process.exitCode = await main();

async function main() {
  const options = { 'in-turn': { type: 'boolean' }, list: { type: 'boolean' }, only: { type: 'string' } };
  const { values } = parseArgs({ options });
  if (values.list) {
    console.log(
      formatTable(stages.map(({ name, budgetSeconds, about }) => ({ stage: name, 'budget s': budgetSeconds, about }))),
    );
    return 0;
  }
  let chosen;
  try {
    chosen = chooseStages(values.only);
  } catch (error) {
    console.error(error.message);
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'kannuki-test-'));
  const componentsFile = join(folder, 'components.jsonl');
  try {
    const startedMs = performance.now();
    const inTurn = values['in-turn'] || chosen.length === 1;
    const results = await runSideBySide(inTurn ? chosen.map((stage) => ({ ...stage, first: true })) : chosen, {
      run: (stage) => runStage(stage, { folder, componentsFile, capture: !stage.first }),
      isStopping,
    });
    const seconds = (performance.now() - startedMs) / 1000;
    const components = existsSync(componentsFile) ? parseComponents(readFileSync(componentsFile, 'utf8')) : [];
    return report(results, { components, seconds, stopped: isStopping() });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Two at once would mix their lines: what they print is kept until they end. */
async function runStage(stage, { folder, componentsFile, capture }) {
  const { name, budgetSeconds, about, project, folder: stageFolder, workers } = stage;
  const title = `${name}: ${about} (budget ${budgetSeconds} s)`;
  console.log(capture ? `── ${title} begins` : `\n━━ ${title}\n`);
  const startedMs = performance.now();
  const checks = name === 'checks' ? await runChecks(folder) : undefined;
  const tests = await runProject({
    project,
    folder: stageFolder,
    workers,
    capture,
    limitMs: budgetSeconds * patience * 1000,
    reportFolder: folder,
    env: { KANNUKI_TEST_REPORT: componentsFile },
  });
  if (capture) console.log(`\n━━ ${title}`);
  if (tests.output !== '') console.log(tests.output);
  const counts = checks ? addCounts(checks.counts, tests.counts) : tests.counts;
  return { name, budgetSeconds, counts, problems: tests.problems, seconds: (performance.now() - startedMs) / 1000 };
}

function report(results, { components, seconds, stopped }) {
  const failOnAvoidableSkip = process.env.KANNUKI_FAIL_ON_AVOIDABLE_SKIP === '1';
  const { counts, line, ok, problems } = judgeRun({ stages: results, components, failOnAvoidableSkip });
  const rows = sumComponents(components);
  console.log('\n━━ stages\n');
  console.log(formatTable(results.map(stageRow)));
  console.log(`\n${Math.round(seconds)} s in all`);
  console.log('\n━━ real components\n');
  console.log(rows.length > 0 ? formatTable(rows.map(componentRow)) : 'None of the stages that ran uses one.');
  if (problems.length > 0) console.log(`\n${problems.map((problem) => `× ${problem}`).join('\n')}`);
  if (stopped) console.log('\n× stopped by a signal; the count is not complete');
  const summaryFolder = join(repositoryRoot, '.test-report');
  mkdirSync(summaryFolder, { recursive: true });
  const summary = { ok: ok && !stopped, seconds, counts, problems, stages: results, components: rows };
  writeFileSync(join(summaryFolder, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`);
  console.log(`\n${line}`);
  return ok && !stopped ? 0 : 1;
}

function stageRow({ name, seconds, budgetSeconds, counts }) {
  const late = seconds > budgetSeconds ? 'over budget' : '';
  return { stage: name, ...counts, seconds: Math.round(seconds), budget: budgetSeconds, '': late };
}

function componentRow({ component, status, times, reason, avoidable }) {
  return { component, status, times, reason: avoidable && status === 'skipped' ? `${reason} (avoidable)` : reason };
}

function addCounts(a, b) {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, skipped: a.skipped + b.skipped };
}
