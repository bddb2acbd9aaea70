import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { pgliteDatabase } from '../../../stores/pglite/index.ts';
import { createJobs, type Jobs } from '../create-jobs.ts';
import type { JobRun } from '../job-run.ts';

let closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  closing = [];
});

function open(): Jobs {
  const database = pgliteDatabase({ dir: 'memory' });
  const jobs = createJobs({ database });
  closing.push(
    () => database.close(),
    () => jobs.close(),
  );
  return jobs;
}

async function untilEnded(jobs: Jobs, runId: number): Promise<JobRun> {
  // The end of a run is told to nobody but its worker.
  for (let n = 0; n < 1_000; n++) {
    const run = await jobs.read.run(runId);
    if (run?.finishedAtMs) return run;
    await sleep(20);
  }
  throw new Error(`run ${runId} did not end`);
}

/** Runs `say` until its log has this line. */
async function untilSaid(jobs: Jobs, word: string): Promise<void> {
  for (let n = 0; n < 500; n++) {
    const { runId } = await jobs.enqueue('say');
    await untilEnded(jobs, runId);
    if ((await jobs.read.log(runId)).lines[0]?.text === word) return;
    // The worker looks for changes by the clock.
    await sleep(50);
  }
  throw new Error(`"${word}" was never said`);
}

describe('jobs without code', { timeout: 120_000 }, () => {
  it('are run by a worker that may, and its output is in the log', async () => {
    const jobs = open();
    jobs.define({
      name: 'greet',
      target: { kind: 'command', command: ['sh', '-c', 'echo hello; cat'] },
      maxRetries: 0,
    });
    await jobs.ready();
    await jobs.startWorker({ targets: { commands: true } });
    const { runId } = await jobs.enqueue('greet', { to: 'you' });
    expect(await untilEnded(jobs, runId)).toMatchObject({ state: 'SUCCEEDED', result: { exitCode: 0 } });
    expect((await jobs.read.log(runId)).lines.map(({ text }) => text)).toEqual(['hello', '{"to":"you"}']);
    expect(await jobs.read.job('greet')).toMatchObject({ name: 'greet', target: { kind: 'command' } });
  });

  it('are left alone by a worker that may not', async () => {
    const jobs = open();
    jobs.define({ name: 'forbidden', target: { kind: 'command', command: ['true'] } });
    jobs.define({ name: 'far', target: { kind: 'http', url: 'http://example.com/' } });
    let ran = 0;
    jobs.define({ name: 'coded', handler: () => ran++ });
    await jobs.startWorker({ targets: { allow: ['localhost'] } });
    const [forbidden, far, coded] = [
      await jobs.enqueue('forbidden'),
      await jobs.enqueue('far'),
      await jobs.enqueue('coded'),
    ];
    await untilEnded(jobs, coded.runId);
    expect(ran).toBe(1);
    expect((await jobs.read.run(forbidden.runId))?.state).toBe('PENDING');
    expect((await jobs.read.run(far.runId))?.state).toBe('PENDING');
  });

  it('that come later are found, and one that fails says why', async () => {
    const jobs = open();
    await jobs.startWorker({ targets: { commands: true } });
    jobs.define({ name: 'late', target: { kind: 'command', command: ['kannuki-no-such-program'] } });
    const { runId } = await jobs.enqueue('late');
    expect(await untilEnded(jobs, runId)).toMatchObject({ state: 'FAILED', reason: 'command-not-found' });
  });

  it('that change are run as they are now, and one that may no longer be run is not', async () => {
    const jobs = open();
    const say = (word: string) => ({ name: 'say', target: { kind: 'command' as const, command: ['echo', word] } });
    const call = (url: string) => ({ name: 'call', maxRetries: 0, target: { kind: 'http' as const, url } });
    jobs.define(say('one'));
    jobs.define(call('http://127.0.0.1:65500/'));
    await jobs.startWorker({ targets: { commands: true, allow: ['127.0.0.1'] } });
    const first = await jobs.enqueue('say');
    const called = await jobs.enqueue('call');
    await untilEnded(jobs, first.runId);
    expect(await untilEnded(jobs, called.runId)).toMatchObject({ state: 'FAILED', reason: 'target-failed' });
    jobs.define(say('two'));
    jobs.define(call('http://example.com/'));
    await jobs.ready();
    // Changes are looked for every two seconds; until then the one before may still take runs.
    await untilSaid(jobs, 'two');
    const left = await jobs.enqueue('call');
    await untilSaid(jobs, 'two');
    expect((await jobs.read.run(left.runId))?.state).toBe('PENDING');
  });

  it('are checked when they are defined', () => {
    const jobs = open();
    expect(() => jobs.define({ name: 'x', target: { kind: 'command', command: [] } })).toThrow(/program and arguments/);
    expect(() => jobs.define({ name: 'x', target: { kind: 'http', url: 'ftp://x' } })).toThrow(/http/);
    expect(() => jobs.define({ name: 'x', target: JSON.parse('{"kind":"x"}') })).toThrow(/command or http/);
  });
});
