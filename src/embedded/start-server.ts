/**
 * Starts and stops the PostgreSQL server of one folder.
 *
 * Whether it runs is asked of the kernel, not of a pid: the starter locks `<dir>/server.lock` and lets the server
 * inherit the open file, so the lock lasts exactly as long as any process of that server. A pid that was given to
 * another program, a zombie, or a pid of another container cannot deceive. PostgreSQL's own `postmaster.pid` only
 * tells the port, the pid, and when it is ready.
 *
 * The server is detached (its own session): it outlives the process that started it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { LeaseError } from '../core/errors.ts';
import type { Clock, Random } from '../core/ports.ts';
import { type DirectoryLock, isDirectoryLocked, lockDirectory } from '../platform/directory-lock.ts';
import type { PostgresBinaries } from './find-binaries.ts';
import { freePort } from './free-port.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { commandAs, programEnv, type RunAs } from './run-as.ts';
import { openServerLog, readLogTail } from './server-log.ts';

/** Where things are in a folder that has a server. */
export const serverPaths = { data: 'postgres', lock: 'server.lock', log: 'postgres.log' } as const;

export interface StartServerOptions {
  readonly binaries: PostgresBinaries;
  readonly clock: Clock;
  readonly dir: string;
  /** Preferred port, taken if it is free. */
  readonly port?: number;
  readonly random: Random;
  readonly runAs: RunAs;
  readonly settings: Readonly<Record<string, string>>;
  /** How long recovery after a crash may take. @default 120_000 */
  readonly timeoutMs?: number;
}

/** Somebody else may take a port between our look and the server's start, but not again and again. */
const portTriesMax = 5;

export interface RunningServer {
  readonly pid: number;
  readonly port: number;
}

/** Starts the server and waits until it is ready. Callers see to it that only one of them starts at a time. */
export async function startServer(options: StartServerOptions): Promise<RunningServer> {
  const { clock, dir, timeoutMs = 120_000 } = options;
  const deadlineMs = clock.monotonicMs() + timeoutMs;
  // Processes of a killed server notice within moments; until the last of them is gone a new one must not start.
  const lock = await lockDirectory(dir, { name: serverPaths.lock, what: 'The server lock of', waitMs: 15_000 });
  try {
    for (let preferred = options.port, tries = 1; ; preferred = undefined, tries += 1) {
      const port = await freePort(options.random, preferred);
      const server = await launch({ ...options, port, lock, deadlineMs, mayRetry: tries < portTriesMax });
      if (server !== 'port-taken') return server;
    }
  } finally {
    await lock.release();
  }
}

/** Asked to end at once, and waited for. A server that does not end is ended without a checkpoint: it recovers. */
export async function stopServer(options: {
  readonly clock: Clock;
  readonly dir: string;
  readonly pid: number;
}): Promise<void> {
  const { clock, dir, pid } = options;
  for (const { signal, waitMs } of [
    { signal: 'SIGINT', waitMs: 20_000 },
    { signal: 'SIGQUIT', waitMs: 10_000 },
  ] as const) {
    if (!(await isServerRunning(dir))) return;
    sendSignal(pid, signal);
    if (await waitForEnd(dir, clock, waitMs)) return;
  }
  throw new LeaseError(`The PostgreSQL server of ${dir} (process ${pid}) does not end; end it with "kill -9 ${pid}".`, {
    code: 'store-unavailable',
  });
}

export function isServerRunning(dir: string): Promise<boolean> {
  return isDirectoryLocked(dir, serverPaths.lock);
}

/** True when no process of the server is left. */
export async function waitForEnd(dir: string, clock: Clock, waitMs: number): Promise<boolean> {
  const deadlineMs = clock.monotonicMs() + waitMs;
  while (await isServerRunning(dir)) {
    if (clock.monotonicMs() >= deadlineMs) return false;
    await pause(clock);
  }
  return true;
}

interface LaunchOptions extends StartServerOptions {
  readonly deadlineMs: number;
  readonly lock: DirectoryLock;
  readonly mayRetry: boolean;
  readonly port: number;
}

async function launch(options: LaunchOptions): Promise<RunningServer | 'port-taken'> {
  const { clock, deadlineMs, dir, mayRetry, port, timeoutMs = 120_000 } = options;
  const dataDir = join(dir, serverPaths.data);
  const logPath = join(dir, serverPaths.log);
  const { child, logStart } = spawnServer(options, dataDir, logPath);
  let ended: string | undefined;
  const end = new Promise<void>((done) => {
    child.once('exit', (code, signal) => {
      ended = signal ?? `exit code ${code}`;
      done();
    });
    child.once('error', (error) => {
      ended = error.message;
      done();
    });
  });
  child.unref();

  while (ended === undefined) {
    const file = readPostmasterFile(dataDir);
    if (file?.pid === child.pid && file?.ready) return { pid: file.pid, port };
    if (clock.monotonicMs() >= deadlineMs) {
      child.kill('SIGKILL');
      await end;
      throw notReady(dir, timeoutMs, readLogTail(logPath, logStart));
    }
    await pause(clock);
  }
  const tail = readLogTail(logPath, logStart);
  if (mayRetry && /could not bind|Address already in use/i.test(tail)) return 'port-taken';
  throw new LeaseError(`The PostgreSQL server of ${dir} did not start (${ended}). Its log ${logPath} ends:\n${tail}`, {
    code: 'store-unavailable',
  });
}

function spawnServer(
  { binaries, lock, port, runAs, settings }: LaunchOptions,
  dataDir: string,
  logPath: string,
): { readonly child: ChildProcess; readonly logStart: number } {
  const stale = readPostmasterFile(dataDir);
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const run = commandAs(runAs, join(binaries.bin, 'postgres'), ['-D', dataDir, '-p', `${port}`, ...flags]);
  const log = openServerLog(logPath);
  try {
    const child = spawn(run.command, run.args, {
      ...run.options,
      cwd: '/',
      detached: true,
      env: {
        ...programEnv(),
        // We hold the lock, so the server that left this file is gone. Its pid may belong to another program now, at
        // which PostgreSQL would refuse to start; it overlooks this one pid, and still checks shared memory.
        ...(stale ? { PG_GRANDPARENT_PID: `${stale.pid}` } : {}),
      },
      stdio: ['ignore', log.fd, log.fd, lock.fd],
    });
    return { child, logStart: log.start };
  } finally {
    closeSync(log.fd);
  }
}

function notReady(dir: string, waitMs: number, tail: string): LeaseError {
  return new LeaseError(
    `The PostgreSQL server of ${dir} was not ready after ${waitMs} ms; look at its log, which ends:\n${tail}`,
    { code: 'store-unavailable', retryable: true },
  );
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function pause(clock: Clock): Promise<void> {
  return new Promise((done) => clock.after(10, done));
}
