/** A worker's process that stands still: it is given runs, and does not start them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { LivingServer } from './living-server.ts';

export interface StoppedWorker {
  readonly id: number;
  /** A run that must be given out (it has a key), and is given to this worker: the one that leads is left alone. */
  giveRun(job: string): Promise<number>;
  end(): Promise<void>;
}

const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export async function startStoppedWorker(server: LivingServer): Promise<StoppedWorker> {
  const args = [command, 'worker', '--json', '--log-level', 'error', '--config', server.configPath];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATABASE_URL: server.databaseUrl },
  });
  const ended = once(child, 'exit');
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    ended.then(() => {
      throw new Error('The worker ended before it was ready.');
    }),
  ]);
  const { worker: id } = JSON.parse(String(line)) as { worker: number };
  child.kill('SIGSTOP');
  return {
    id,
    async giveRun(job) {
      const reply = await server.post(`/api/v1/jobs/${job}/runs`, { concurrencyKey: `of worker ${id}` });
      const { runId } = (await reply.json()) as { runId: number };
      const where = `select assigned_worker_id as worker from kannuki.job_runs where id = ${runId} and state = 'ASSIGNED'`;
      const isGiven = async (): Promise<boolean> => (await server.sql<{ worker: number }>(where))[0]?.worker === id;
      await expect.poll(isGiven, { timeout: 20_000 }).toBe(true);
      return runId;
    },
    async end() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
