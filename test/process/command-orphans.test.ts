/** A worker killed with -9 leaves no command behind, however the command takes it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { faultRounds, reportFault } from './fault-rounds.ts';

const script = fileURLToPath(new URL('command-worker.mjs', import.meta.url));
const rounds = faultRounds('COMMAND_ORPHANS', 3);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Milliseconds until all are gone. */
async function untilGone(pids: readonly number[], maxMs: number): Promise<number> {
  const startMs = performance.now();
  // There is no event for the end of somebody else's child.
  while (pids.some(isAlive) && performance.now() - startMs < maxMs) await sleep(10);
  return performance.now() - startMs;
}

/** Starts the worker, hears the process ids that the command says, kills the worker. */
async function killWorkerOf(command: readonly string[], count: number, graceMs: number): Promise<readonly number[]> {
  const worker = fork(script, [String(graceMs), ...command], { execArgv: [] });
  const ended = once(worker, 'exit');
  const pids: number[] = [];
  await new Promise<void>((resolve, reject) => {
    worker.on('message', (message: { line: string }) => {
      pids.push(Number(message.line));
      if (pids.length === count) resolve();
    });
    void ended.then(() => reject(new Error('The worker ended by itself.')));
  });
  expect(pids.every(isAlive)).toBe(true);
  worker.kill('SIGKILL');
  await ended;
  return pids;
}

describe('a worker killed with -9', () => {
  it(`${rounds} × takes its command and what that started with it`, { timeout: 120_000 * rounds }, async () => {
    let slowestMs = 0;
    for (let round = 0; round < rounds; round++) {
      const pids = await killWorkerOf(['sh', '-c', 'echo $$; sleep 600 & echo $!; wait'], 2, 30_000);
      const goneMs = await untilGone(pids, 60_000);
      expect(pids.filter(isAlive)).toEqual([]);
      // By SIGTERM, long before the grace time is over.
      expect(goneMs).toBeLessThan(25_000);
      slowestMs = Math.max(slowestMs, goneMs);
    }
    reportFault({ experiment: 'command-orphans', rounds, slowestMs: Math.round(slowestMs) });
  });

  it('takes a command that is deaf to SIGTERM with it after the grace time', { timeout: 60_000 }, async () => {
    const pids = await killWorkerOf(['sh', '-c', 'trap "" TERM; echo $$; sleep 600 & echo $!; wait'], 2, 1_000);
    await untilGone(pids, 30_000);
    expect(pids.filter(isAlive)).toEqual([]);
  });
});
