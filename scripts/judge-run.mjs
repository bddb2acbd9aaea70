/**
 * What a run of the tests came to. Pure, so that it can be shown that a bad run is never called a good one.
 *
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {{ name: string, seconds: number, budgetSeconds: number, counts: Counts, problems: readonly string[] }} StageResult
 * @typedef {{ component: string, status: string, reason?: string, avoidable?: boolean }} ComponentReport
 */

/**
 * Counts a report of vitest's JSON reporter. A file that could not be loaded holds no test and counts as a failure.
 * @returns {Counts}
 */
export function countTests(report) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report?.testResults ?? []) {
    if (file.assertionResults.length === 0 && file.status === 'failed') counts.failed++;
    for (const { status } of file.assertionResults) {
      if (status === 'passed') counts.passed++;
      else if (status === 'failed') counts.failed++;
      else counts.skipped++;
    }
  }
  return counts;
}

/**
 * Turns what a vitest child left behind into a stage's result. No report, no tests, an exit code that the tests do
 * not explain and processes left running are failures of their own.
 */
export function judgeProject({ report, code, left = [] }) {
  const counts = countTests(report);
  const problems = [];
  if (report === undefined) problems.push(`ended with code ${code} and left no report`);
  else if (counts.passed + counts.failed === 0) problems.push('ran no test');
  else if (code !== 0 && counts.failed === 0) problems.push(`ended with code ${code} although no test failed`);
  if (left.length > 0) problems.push(`left running: ${left.join('; ')}`);
  return { counts: { ...counts, failed: counts.failed + problems.length }, problems };
}

/** One line per component and status, in order of the alphabet. A component that was only skipped says why. */
export function sumComponents(reports) {
  const rows = new Map();
  for (const { component, status, reason = '', avoidable = false } of reports) {
    const key = JSON.stringify([component, status, reason]);
    const row = rows.get(key) ?? { component, status, times: 0, reason, avoidable };
    rows.set(key, { ...row, times: row.times + 1, avoidable: row.avoidable || avoidable });
  }
  return [...rows.values()].sort((a, b) => (a.component < b.component ? -1 : a.component > b.component ? 1 : 0));
}

/** Reads the JSON lines that tests append; a torn or strange line is told, not dropped. */
export function parseComponents(text) {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      try {
        const report = JSON.parse(line);
        if (typeof report?.component === 'string' && typeof report?.status === 'string') return report;
      } catch {
        // Told below, with the line itself.
      }
      return { component: `unreadable report: ${line.slice(0, 60)}`, status: 'skipped', avoidable: true };
    });
}

/**
 * @param {{ stages: readonly StageResult[], components: readonly ComponentReport[], failOnAvoidableSkip: boolean }} run
 * @returns {{ counts: Counts, line: string, ok: boolean, problems: readonly string[] }}
 */
export function judgeRun({ stages, components, failOnAvoidableSkip }) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const stage of stages) for (const name of Object.keys(counts)) counts[name] += stage.counts[name];
  const avoidable = components.filter(({ status, avoidable }) => status === 'skipped' && avoidable);
  const problems = stages.flatMap(({ name, problems }) => problems.map((problem) => `${name} ${problem}`));
  if (stages.length === 0) problems.push('no stage ran');
  if (failOnAvoidableSkip) {
    for (const { component, reason } of sumComponents(avoidable)) {
      problems.push(`${component} was skipped and need not be: ${reason || 'no reason given'}`);
    }
  }
  return {
    counts,
    line: `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`,
    ok: counts.failed === 0 && problems.length === 0,
    problems,
  };
}
