/** The runner of the tests, tested: a bad run is never called a good one, and nothing is left running. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from './repository.ts';

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface Component {
  readonly component: string;
  readonly status: string;
  readonly reason?: string;
  readonly avoidable?: boolean;
}

interface JudgeRun {
  countTests(report: unknown): Counts;
  judgeProject(run: { report: unknown; code: number; left?: readonly string[] }): {
    readonly counts: Counts;
    readonly problems: readonly string[];
  };
  parseComponents(text: string): readonly Component[];
  sumComponents(reports: readonly Component[]): readonly (Component & { readonly times: number })[];
  judgeRun(run: {
    stages: readonly { name: string; counts: Counts; problems: readonly string[] }[];
    components: readonly Component[];
    failOnAvoidableSkip: boolean;
  }): { readonly line: string; readonly ok: boolean; readonly problems: readonly string[] };
}

const script = (name: string): string => join(repositoryRoot, 'scripts', name);
const { countTests, judgeProject, judgeRun, parseComponents, sumComponents } = (await import(
  script('judge-run.mjs')
)) as JudgeRun;

interface Stage {
  readonly name: string;
  readonly first?: boolean;
  readonly waits?: boolean;
  readonly budgetSeconds?: number;
}

const { runSideBySide } = (await import(script('run-side-by-side.mjs'))) as {
  runSideBySide<Result>(
    stages: readonly Stage[],
    options: { run(stage: Stage): Promise<Result>; isStopping(): boolean },
  ): Promise<Result[]>;
};

const fileOf = (...statuses: readonly string[]): object => ({
  status: statuses.includes('failed') ? 'failed' : 'passed',
  assertionResults: statuses.map((status) => ({ status })),
});
const stage = (counts: Partial<Counts>, problems: readonly string[] = []) => ({
  name: 'unit',
  counts: { passed: 0, failed: 0, skipped: 0, ...counts },
  problems,
});

describe('counting', () => {
  it('counts tests, not files, and every kind of skip', () => {
    const report = { testResults: [fileOf('passed', 'failed', 'skipped'), fileOf('passed', 'pending', 'todo')] };
    expect(countTests(report)).toEqual({ passed: 2, failed: 1, skipped: 3 });
  });

  it('counts a file that could not be loaded as a failure', () => {
    expect(countTests({ testResults: [{ status: 'failed', assertionResults: [] }] }).failed).toBe(1);
  });
});

describe('judging a stage', () => {
  const good = { testResults: [fileOf('passed')] };

  it('accepts a stage whose tests passed', () => {
    expect(judgeProject({ report: good, code: 0 })).toEqual({
      counts: { passed: 1, failed: 0, skipped: 0 },
      problems: [],
    });
  });

  it.each([
    { what: 'no report', run: { report: undefined, code: 0 }, problem: /no report/ },
    { what: 'no test', run: { report: { testResults: [] }, code: 0 }, problem: /ran no test/ },
    {
      what: 'skipped tests only',
      run: { report: { testResults: [fileOf('skipped')] }, code: 0 },
      problem: /ran no test/,
    },
    { what: 'an unhandled rejection', run: { report: good, code: 1 }, problem: /although no test failed/ },
    {
      what: 'a process left running',
      run: { report: good, code: 0, left: ['7 sleep'] },
      problem: /left running: 7 sleep/,
    },
  ])('refuses $what', ({ run, problem }) => {
    const { counts, problems } = judgeProject(run);
    expect(counts.failed).toBe(1);
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });
});

describe('judging the run', () => {
  const skip = { component: 'redis', status: 'skipped', reason: 'not installed', avoidable: true };

  it('ends with one plain line', () => {
    const run = {
      stages: [stage({ passed: 2 }), stage({ passed: 1, skipped: 4 })],
      components: [],
      failOnAvoidableSkip: true,
    };
    expect(judgeRun(run)).toMatchObject({ line: '3 passed, 0 failed, 4 skipped', ok: true });
  });

  it('fails on a failed test, on a problem and on an empty run', () => {
    const run = { components: [], failOnAvoidableSkip: false };
    expect(judgeRun({ ...run, stages: [stage({ passed: 1, failed: 1 })] }).ok).toBe(false);
    expect(judgeRun({ ...run, stages: [stage({ passed: 1 }, ['has no folder'])] }).ok).toBe(false);
    expect(judgeRun({ ...run, stages: [] }).ok).toBe(false);
  });

  it('fails on an avoidable skip only where that is asked for', () => {
    const run = { stages: [stage({ passed: 1 })], components: [skip, skip] };
    expect(judgeRun({ ...run, failOnAvoidableSkip: false }).ok).toBe(true);
    expect(judgeRun({ ...run, failOnAvoidableSkip: true }).problems).toEqual([
      expect.stringMatching(/redis.*not installed/),
    ]);
    const unavoidable = [{ ...skip, avoidable: false }];
    expect(judgeRun({ ...run, components: unavoidable, failOnAvoidableSkip: true }).ok).toBe(true);
  });

  it('sums components and never drops a line it cannot read', () => {
    const reports = parseComponents(
      '{"component":"b","status":"took part"}\n{"component":"a","status":"took part"}\n{"component":"b","status":"took part"}\n{torn\n',
    );
    expect(sumComponents(reports).map(({ component, times }) => [component, times])).toEqual([
      ['a', 1],
      ['b', 2],
      ['unreadable report: {torn', 1],
    ]);
    expect(reports[3]?.avoidable).toBe(true);
  });
});

describe('stages side by side', () => {
  const stages: readonly Stage[] = [
    { name: 'build', first: true },
    { name: 'sums' },
    { name: 'more sums' },
    { name: 'more sleep', waits: true, budgetSeconds: 2 },
    { name: 'sleep', waits: true, budgetSeconds: 3 },
    { name: 'still more sleep', waits: true, budgetSeconds: 1 },
  ];

  /** Runs them, ending one stage at each step: the sooner begun, the sooner ended. */
  const runAll = async (isStopping: (begun: readonly string[]) => boolean) => {
    const together: string[] = [];
    const begun: string[] = [];
    const atWork = new Map<string, () => void>();
    const results = runSideBySide(stages, {
      isStopping: () => isStopping(begun),
      run: ({ name }) => {
        begun.push(name);
        const ended = new Promise<string>((resolve) => atWork.set(name, () => resolve(name)));
        together.push([...atWork.keys()].join(' + '));
        return ended;
      },
    });
    for (let idle = 0; idle < 20; idle++) {
      // Whoever can begin does so before the next one ends.
      await new Promise((resolve) => setImmediate(resolve));
      const [next] = atWork;
      if (!next) continue;
      atWork.delete(next[0]);
      next[1]();
    }
    return { together, results: await results };
  };

  it('are a waiting and a computing one, the longest first, then what is left; results keep their order', async () => {
    const { together, results } = await runAll(() => false);
    expect(together).toEqual([
      'build',
      'sleep',
      'sleep + sums',
      'sums + more sleep',
      'more sleep + more sums',
      'more sums + still more sleep',
    ]);
    expect(results).toEqual(stages.map(({ name }) => name));
  });

  it('are not begun once we are stopping', async () => {
    expect((await runAll((begun) => begun.includes('sums'))).results).toEqual(['build', 'sums', 'sleep']);
  });
});

// Process groups are looked up in /proc.
describe.runIf(process.platform === 'linux')('running a child', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kannuki-child-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** A parent that uses run-child.mjs on the given script and prints what it came to. */
  const startParent = (childText: string, options = '{ capture: true }') => {
    writeFileSync(join(folder, 'child.mjs'), childText);
    const parent = `import { runChild } from ${JSON.stringify(script('run-child.mjs'))};
      const { code, output, left } = await runChild('child', [${JSON.stringify(join(folder, 'child.mjs'))}], ${options});
      console.log(JSON.stringify({ code, output, left }));`;
    return spawn(process.execPath, ['--input-type=module', '-e', parent], { stdio: ['ignore', 'pipe', 'inherit'] });
  };
  const resultOf = async (parent: ReturnType<typeof startParent>) => {
    let text = '';
    parent.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await once(parent, 'close');
    return JSON.parse(text) as { code: number; output: string; left: readonly string[] };
  };
  const forever = 'setInterval(() => {}, 1000);';

  it('passes the exit code and the output on', async () => {
    expect(await resultOf(startParent("console.log('hello'); process.exit(3);"))).toEqual({
      code: 3,
      output: 'hello\n',
      left: [],
    });
  });

  it('finds and ends what the child left running', async () => {
    const leaver = `import { spawn } from 'node:child_process';
      spawn(process.execPath, ['-e', ${JSON.stringify(forever)}], { stdio: 'ignore' }).unref();`;
    const { code, left } = await resultOf(startParent(leaver));
    expect(code).toBe(0);
    expect(left).toEqual([expect.stringMatching(/^\d+ .*setInterval/)]);
    await expect.poll(() => isRunning(Number.parseInt(left[0] ?? '', 10))).toBe(false);
  });

  it('ends a child that takes too long', async () => {
    const { code, output } = await resultOf(startParent(forever, '{ capture: true, limitMs: 300 }'));
    expect(code).not.toBe(0);
    expect(output).toMatch(/was ended after/);
  });

  it('ends the child when it is stopped itself', async () => {
    const parent = startParent(`console.log(process.pid); ${forever}`, '{}');
    const [firstLine] = (await once(parent.stdout.setEncoding('utf8'), 'data')) as [string];
    const child = Number.parseInt(firstLine, 10);
    parent.stdout.resume();
    expect(isRunning(child)).toBe(true);
    parent.kill('SIGTERM');
    await once(parent, 'close');
    expect(isRunning(child)).toBe(false);
  });
});

/** A process that was ended and not yet buried by its parent does not run. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
