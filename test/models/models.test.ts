import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** How many variants of the quick form end in each verdict. The failing ones are the planted bugs: all must be found. */
const expected: Readonly<Record<string, { ok: number; violation: number; stuck: number }>> = {
  selftest: { ok: 2, violation: 1, stuck: 2 },
  lease: { ok: 6, violation: 11, stuck: 0 },
  analysis: { ok: 4, violation: 1, stuck: 2 },
  jobs: { ok: 14, violation: 10, stuck: 8 },
  forbid: { ok: 3, violation: 4, stuck: 0 },
  schedule: { ok: 2, violation: 1, stuck: 2 },
  reservations: { ok: 8, violation: 6, stuck: 4 },
  money: { ok: 5, violation: 6, stuck: 1 },
  'project-lock': { ok: 8, violation: 13, stuck: 0 },
  'run-once': { ok: 4, violation: 6, stuck: 0 },
};

describe('protocol models', () => {
  for (const [name, counts] of Object.entries(expected)) {
    it(`${name}: the repaired protocol passes and every planted bug is found`, { timeout: 60_000 }, async () => {
      const { exitCode, output } = await runModel(join(folder, `${name}.mjs`));
      expect(output).not.toMatch(/^! /m);
      expect(exitCode, output).toBe(0);
      expect({
        ok: countVerdicts(output, 'OK'),
        violation: countVerdicts(output, 'VIOLATION'),
        stuck: countVerdicts(output, 'STUCK'),
      }).toEqual(counts);
      // Each failure says what broke and how to get there.
      expect(output.match(/^ {2}(?:VIOLATION|STUCK) .*\n {6}\S.*\n {6}1\. /gm) ?? []).toHaveLength(
        counts.violation + counts.stuck,
      );
    });
  }

  it('priority: every pair of state and event has one ruled outcome', async () => {
    const { exitCode, output } = await runModel(join(folder, 'priority.mjs'));
    expect(output).toContain('232 pairs; 15 moves; 0 wrong');
    expect(exitCode, output).toBe(0);
  });

  it('every model takes part', async () => {
    const files = (await readdir(folder)).filter((file) => file.endsWith('.mjs')).map((file) => file.slice(0, -4));
    const shared = ['explore', 'jobs-model', 'priority'];
    expect(files.filter((file) => !shared.includes(file)).sort()).toEqual(Object.keys(expected).sort());
  });

  it('a wrong expectation fails the run', async () => {
    const flipped = await runChanged('analysis', (text) => text.replace("'STUCK'", "'OK'"));
    expect(flipped.output).toMatch(/^! STUCK /m);
    expect(flipped.output).toContain('1 unexpected');
    expect(flipped.exitCode).toBe(1);
  });

  it('a bug planted in a repaired model fails the run', async () => {
    const broken = await runChanged('run-once', (text) => text.replace('guard: true', 'guard: false'));
    expect(broken.output).toMatch(/^! VIOLATION /m);
    expect(broken.exitCode).toBe(1);
  });

  it('a wrong cell fails the priority table', async () => {
    const wrong = await runChanged('priority', (text) => text.replace('cancelled +close', 'served +close'));
    expect(wrong.output).toMatch(/^! /m);
    expect(wrong.exitCode).toBe(1);
  });
});

interface ModelRun {
  readonly exitCode: number;
  readonly output: string;
}

function runModel(file: string): Promise<ModelRun> {
  return new Promise((resolve) => {
    execFile(process.execPath, [file, '--quick'], { maxBuffer: 1 << 24 }, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ exitCode, output: stdout + stderr });
    });
  });
}

/** Runs a copy of a model with one change in it. */
async function runChanged(name: string, change: (text: string) => string): Promise<ModelRun> {
  const copy = await mkdtemp(join(tmpdir(), 'kannuki-model-'));
  try {
    const text = await readFile(join(folder, `${name}.mjs`), 'utf8');
    expect(change(text), 'the change must hit something').not.toBe(text);
    await copyFile(join(folder, 'explore.mjs'), join(copy, 'explore.mjs'));
    await writeFile(join(copy, `${name}.mjs`), change(text));
    return await runModel(join(copy, `${name}.mjs`));
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

function countVerdicts(output: string, verdict: string): number {
  return output.match(new RegExp(`^ {2}${verdict} `, 'gm'))?.length ?? 0;
}
