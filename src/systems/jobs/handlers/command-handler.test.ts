import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { JobContext } from '../job-handler.ts';
import { type CommandHandlerOptions, commandHandler } from './command-handler.ts';

const dir = mkdtempSync(join(tmpdir(), 'kannuki-command-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Probe extends JobContext {
  readonly lines: string[];
  readonly flushes: number[];
}

function contextOf(
  payload: unknown = null,
  signal: AbortSignal = new AbortController().signal,
  onLine = (_: string): void => {},
): Probe {
  const lines: string[] = [];
  const flushes: number[] = [];
  return {
    run: { id: 9, job: 'report', attempt: 3, scheduledForMs: null },
    payload,
    signal,
    startToken: 55,
    lines,
    flushes,
    log(line) {
      lines.push(line);
      onLine(line);
    },
    async flushLog() {
      flushes.push(lines.length);
    },
    progress() {},
    assertOwner: () => Promise.resolve(),
    finishIn: () => Promise.reject(new Error('not here')),
  };
}

const run = (
  command: readonly string[],
  context = contextOf(),
  options: Partial<CommandHandlerOptions> = {},
): Promise<unknown> => Promise.resolve(commandHandler({ command, graceMs: 2_000, ...options })(context));

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A zombie that its new parent has not collected yet is dead.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
async function gone(pid: number): Promise<boolean> {
  // There is no event for the end of a process that is not our child.
  for (let n = 0; n < 500 && isAlive(pid); n++) await sleep(20);
  return !isAlive(pid);
}

describe('commandHandler', () => {
  it('gives the payload on standard input and the run in the environment, and logs what is said', async () => {
    const context = contextOf({ month: 'may' });
    const script =
      'cat; echo; echo "$KANNUKI_JOB $KANNUKI_RUN_ID $KANNUKI_ATTEMPT $KANNUKI_TOKEN $MORE"; echo oops >&2';
    await expect(run(['sh', '-c', script], context, { env: { MORE: 'yes' } })).resolves.toEqual({ exitCode: 0 });
    expect(context.lines.filter((line) => line !== 'oops')).toEqual(['{"month":"may"}', 'report 9 3 55 yes']);
    expect(context.lines).toContain('oops');
  });

  it('does not show it the secrets of the worker', async () => {
    process.env.KANNUKI_TEST_SECRET = 'canary';
    try {
      const context = contextOf();
      await run(['env'], context);
      expect(context.lines.join('\n')).not.toContain('canary');
    } finally {
      delete process.env.KANNUKI_TEST_SECRET;
    }
  });

  it('fails with the exit code and the last words', async () => {
    await expect(run(['sh', '-c', 'echo start; echo "disk is full" >&2; exit 3'])).rejects.toMatchObject({
      code: 'command-failed',
      retryable: true,
      message: 'The command "sh" ended with exit code 3. It said last: disk is full',
    });
    await expect(run(['sh', '-c', 'kill -9 $$'])).rejects.toMatchObject({
      message: 'The command "sh" was ended by SIGKILL. It said nothing.',
    });
  });

  it.each([['kannuki-no-such-program'], ['./nothing-here'], [dir]])('says that %s is not a program', async (name) => {
    await expect(run([name])).rejects.toMatchObject({
      code: 'command-not-found',
      retryable: false,
      message: expect.stringContaining(name),
    });
  });

  it('passes on a payload too large for an environment', async () => {
    const context = contextOf('x'.repeat(2_000_000));
    await run(['wc', '-c'], context);
    expect(context.lines).toEqual(['2000002']);
    // One that reads nothing is no failure.
    await expect(run(['true'], contextOf('x'.repeat(2_000_000)))).resolves.toEqual({ exitCode: 0 });
  });

  it('stops the whole group: SIGTERM, then SIGKILL', async () => {
    const stop = new AbortController();
    const pids: number[] = [];
    const context = contextOf(null, stop.signal, (line) => {
      pids.push(Number(line));
      if (pids.length === 2) stop.abort(new Error('canceled'));
    });
    // Both the shell and its child are deaf to SIGTERM.
    const script = 'trap "" TERM; echo $$; sleep 600 & echo $!; wait';
    await expect(run(['sh', '-c', script], context, { graceMs: 100 })).rejects.toMatchObject({ code: 'aborted' });
    expect(pids).toHaveLength(2);
    for (const pid of pids) expect(await gone(pid)).toBe(true);
  });

  it('lets a command that listens tidy up', async () => {
    const stop = new AbortController();
    const file = join(dir, 'tidied');
    const context = contextOf(null, stop.signal, () => stop.abort());
    const script = `trap 'echo bye > ${file}; exit 0' TERM; echo ready; while :; do sleep 0.05; done`;
    await expect(run(['sh', '-c', script], context, { graceMs: 20_000 })).rejects.toMatchObject({ code: 'aborted' });
    expect(readFileSync(file, 'utf8')).toBe('bye\n');
  });

  it('starts nothing for a run that is stopped already', async () => {
    const stop = new AbortController();
    stop.abort();
    const file = join(dir, 'never');
    await expect(run(['touch', file], contextOf(null, stop.signal))).rejects.toMatchObject({ code: 'aborted' });
    expect(() => readFileSync(file)).toThrow('ENOENT');
  });

  it('ends what a command left behind', async () => {
    const context = contextOf();
    await run(['sh', '-c', 'sleep 600 >/dev/null 2>&1 & echo $!'], context);
    expect(await gone(Number(context.lines[0]))).toBe(true);
  });

  it('waits for the log when a command says very much', async () => {
    const context = contextOf();
    const file = join(dir, 'much.sh');
    writeFileSync(file, '#!/bin/sh\nyes 0123456789012345678901234567890123456789 | head -n 50000\n', { mode: 0o755 });
    await run([file], context);
    expect(context.lines).toHaveLength(50_000);
    expect(context.flushes.length).toBeGreaterThan(3);
  });

  it('refuses a command that is none', () => {
    expect(() => commandHandler({ command: [] })).toThrow(/program and arguments/);
    expect(() => commandHandler({ command: ['a\0b'] })).toThrow(/program and arguments/);
    expect(() => commandHandler({ command: ['true'], graceMs: -1 })).toThrow(/graceMs/);
  });
});
