/**
 * One PostgreSQL server per data folder, shared by every process that opens the folder.
 *
 * Three kernel locks, freed by the kernel whenever their holder ends:
 * - `start.lock`, exclusive: only one process at a time starts, joins, leaves or stops;
 * - `users.lock`, shared: everybody who uses the server holds it from joining to leaving;
 * - `server.lock`, exclusive: held by the server itself, for as long as any of its processes lives.
 *
 * Join (under `start.lock`): take `users.lock` shared; if `server.lock` is held, wait until the server answers;
 * else start it, which recovers it if it had crashed. Leave (under `start.lock`): give `users.lock` back and try to
 * take it alone; who gets it was the last, and stops the server. A user that was killed leaves nothing behind but a
 * running server: the next one joins it. A server that was killed is started again by whichever user notices first,
 * on the same port, so that the connections of all users find it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { LeaseError } from '../core/errors.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import { type DirectoryLock, lockDirectory } from '../platform/directory-lock.ts';
import type { ServerChoice } from './choose-server.ts';
import { superuser } from './init-cluster.ts';
import { readPostmasterFile } from './postmaster-file.ts';
import { giveTo } from './run-as.ts';
import { serverSettings } from './server-settings.ts';
import {
  isServerRunning,
  type RunningServer,
  serverPaths,
  startServer,
  stopServer,
  waitForEnd,
} from './start-server.ts';

export interface PrivateServer {
  readonly url: string;
  /** Of the server that runs now. */
  readonly pid: number;
  /** Gives the server up; the last one to leave stops it and waits for its end. */
  leave(): Promise<void>;
}

export interface JoinOptions {
  readonly clock: Clock;
  readonly choice: ServerChoice;
  readonly dir: string;
  readonly logger: Logger | undefined;
  readonly random: Random;
}

/** Recovery after a crash replays at most `max_wal_size`; slow disks take their time. */
const startTimeoutMs = 120_000;

/** A lock held while no server answers at its port: its last processes are ending, or it is out of reach. */
const unreachableMs = 15_000;

/** How often each user looks whether the server still runs: one file opened and closed. */
const watchMs = 1_000;

/** Where the folder's superuser has its password. */
export function passwordPath(dir: string): string {
  return join(dir, 'password');
}

/** Waits for its turn: another process may be in the middle of starting, recovering or stopping the server. */
export function lockForStart(dir: string): Promise<DirectoryLock> {
  return lockDirectory(dir, { name: 'start.lock', waitMs: startTimeoutMs + 30_000 });
}

/** Joins the running server, or starts it. The caller holds `start.lock`. */
export async function joinServer(options: JoinOptions): Promise<PrivateServer> {
  const { clock, dir, logger } = options;
  const users = await lockDirectory(dir, { name: 'users.lock', shared: true });
  try {
    const password = readFileSync(passwordPath(dir), 'utf8').trim();
    const { pid, port } = await findOrStart(options);
    const watch = watchServer(
      clock,
      async () => {
        if (await isServerRunning(dir)) return;
        logger?.warn('the private PostgreSQL server has ended; starting it again', { dir, port });
        const again = await underStartLock(dir, () => findOrStart(options));
        if (again.port === port) logger?.info('the private PostgreSQL server runs again', { dir, ...again });
        else
          logger?.error('the private PostgreSQL server had to take another port; restart this process', { dir, port });
      },
      logger,
    );
    return {
      url: `postgres://${superuser}:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`,
      get pid() {
        // Any of its users may have started it anew.
        return readPostmasterFile(join(dir, serverPaths.data))?.pid ?? pid;
      },
      async leave() {
        await watch.stop();
        await underStartLock(dir, () => leaveServer(options, users));
      },
    };
  } catch (error) {
    await users.release();
    throw error;
  }
}

async function findOrStart({ clock, choice, dir, logger, random }: JoinOptions): Promise<RunningServer> {
  const found = await findRunning(dir, clock);
  if (found) return found;
  const preferred = readPort(dir);
  giveTo(choice.runAs, join(dir, serverPaths.data));
  const running = await startServer({
    binaries: choice.binaries,
    clock,
    dir,
    random,
    runAs: choice.runAs,
    settings: serverSettings(choice.binaries.major),
    timeoutMs: startTimeoutMs,
    ...(preferred === undefined ? {} : { port: preferred }),
  });
  writeFileSync(join(dir, 'port'), `${running.port}\n`);
  logger?.debug('started a private PostgreSQL server', { dir, ...running, source: choice.binaries.bin });
  return running;
}

/** The server, once it accepts connections; undefined when there is none, or it ended while we waited. */
async function findRunning(dir: string, clock: Clock): Promise<RunningServer | undefined> {
  let giveUpMs = clock.monotonicMs() + unreachableMs;
  const recoveredMs = clock.monotonicMs() + startTimeoutMs;
  while (await isServerRunning(dir)) {
    const file = readPostmasterFile(join(dir, serverPaths.data));
    if (file?.ready && file.port !== undefined && (await answersAt(file.port)))
      return { pid: file.pid, port: file.port };
    // A file that is not ready tells of a start under way, which may have to replay the log.
    if (file && !file.ready) giveUpMs = recoveredMs;
    if (clock.monotonicMs() >= giveUpMs) {
      throw new LeaseError(
        `The PostgreSQL server of ${dir} runs (process ${file?.pid ?? 'unknown'}) but cannot be reached from here; end that process, which may be in another container, or use another folder.`,
        { code: 'in-use', retryable: true },
      );
    }
    await new Promise<void>((done) => clock.after(10, done));
  }
  return undefined;
}

async function leaveServer({ clock, dir, logger }: JoinOptions, users: DirectoryLock): Promise<void> {
  await users.release();
  const alone = await tryAlone(dir);
  if (!alone) return;
  try {
    const file = readPostmasterFile(join(dir, serverPaths.data));
    if (file) await stopServer({ clock, dir, pid: file.pid });
    else await waitForEnd(dir, clock, unreachableMs);
    logger?.debug('stopped the private PostgreSQL server', { dir });
  } finally {
    await alone.release();
  }
}

async function tryAlone(dir: string): Promise<DirectoryLock | undefined> {
  try {
    return await lockDirectory(dir, { name: 'users.lock' });
  } catch (error) {
    if (error instanceof LeaseError && error.code === 'in-use') return undefined;
    throw error;
  }
}

async function underStartLock<T>(dir: string, work: () => Promise<T>): Promise<T> {
  const lock = await lockForStart(dir);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** Looks again and again until stopped. A failed look is logged and tried again. */
function watchServer(clock: Clock, look: () => Promise<void>, logger: Logger | undefined): { stop(): Promise<void> } {
  let stopped = false;
  let looking: Promise<void> = Promise.resolve();
  const schedule = (): { cancel(): void } =>
    clock.after(
      watchMs,
      () => {
        looking = look()
          .catch((error: unknown) => logger?.error('the private PostgreSQL server could not be started', { error }))
          .then(() => {
            if (!stopped) timer = schedule();
          });
      },
      { background: true },
    );
  let timer = schedule();
  return {
    async stop() {
      stopped = true;
      timer.cancel();
      await looking;
    },
  };
}

function answersAt(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}

function readPort(dir: string): number | undefined {
  try {
    const port = Number(readFileSync(join(dir, 'port'), 'utf8'));
    return port >= 1_024 && port <= 65_535 ? port : undefined;
  } catch {
    return undefined;
  }
}
