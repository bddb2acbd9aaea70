/**
 * A lock on a folder that the kernel holds, so that two processes never open one data folder.
 *
 * The lock is on an open file, `<dir>/<name>`, never on what the file says: the kernel frees it when the process
 * ends, also by kill -9, and nothing can be stale. Age and pid files are not consulted. The file's text only tells
 * people who holds it: a line `<pid> <host>` when the lock was granted, a line `-<pid> <host>` when it was given back.
 * The file is never removed, because a lock on a removed file excludes nobody; a replaced folder is noticed.
 *
 * The lock belongs to one open file (OFD locks on Linux, flock on macOS, LockFileEx on Windows), so a second open
 * is refused in the same process as well. Programs we start do not inherit it, unless they are given the descriptor:
 * then the lock lasts until they, and all that they started, have ended.
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { LeaseError } from '../core/errors.ts';
import { platform } from './node.ts';

export interface DirectoryLockOptions {
  /** Name of the lock file in the folder. @default 'lock' */
  readonly name?: string;
  /** Many may hold it shared; an exclusive one excludes them all. @default false */
  readonly shared?: boolean;
  /** What the message calls the folder. @default 'The data folder' */
  readonly what?: string;
  /** Keep trying this long before failing. @default 0 (fail at once) */
  readonly waitMs?: number;
}

export interface DirectoryLock {
  /** The open file. A child that inherits it holds the lock too, after our own `release` as well. */
  readonly fd: number;
  /** Gives the lock back. Doing it twice does nothing. */
  release(): Promise<void>;
}

/** Creates the folder if need be and locks it, or throws `in-use` naming the process that has it. */
export async function lockDirectory(dir: string, options: DirectoryLockOptions = {}): Promise<DirectoryLock> {
  const { name = 'lock', shared = false, what = 'The data folder', waitMs = 0 } = options;
  const folder = resolve(dir);
  const path = join(folder, name);
  const tryLock = await loadTryLock(what, folder);
  const deadlineMs = platform.clock.monotonicMs() + waitMs;
  for (;;) {
    const fd = takeLock(path, folder, { shared, what, tryLock });
    if (fd !== undefined) return heldLock(fd);
    if (platform.clock.monotonicMs() >= deadlineMs) throw inUse(what, folder, path);
    await new Promise<void>((done) => platform.clock.after(retryMs, done));
  }
}

/** Whether somebody holds it exclusively now. Takes nothing and writes nothing. */
export async function isDirectoryLocked(dir: string, name = 'lock'): Promise<boolean> {
  const folder = resolve(dir);
  const tryLock = await loadTryLock('The data folder', folder);
  const fd = openIfThere(join(folder, name));
  if (fd === undefined) return false;
  try {
    return !lockFile(tryLock, fd, true);
  } finally {
    closeSync(fd);
  }
}

type TryLock = (fd: number, offset: number, length: number, options: { readonly shared: boolean }) => boolean;

/** Small against the start of a server, large against the cost of a try (microseconds). */
const retryMs = 20;

async function loadTryLock(what: string, folder: string): Promise<TryLock> {
  try {
    return (await import('fs-native-extensions')).tryLock;
  } catch (cause) {
    throw new LeaseError(
      `${what} ${folder} cannot be locked because the optional package fs-native-extensions is missing or does not run here; install it with "npm install fs-native-extensions".`,
      { code: 'unsupported', cause },
    );
  }
}

interface TakeOptions {
  readonly shared: boolean;
  readonly what: string;
  readonly tryLock: TryLock;
}

/** The open, locked file, or undefined when somebody else holds it. */
function takeLock(path: string, folder: string, { shared, what, tryLock }: TakeOptions): number | undefined {
  for (;;) {
    const fd = openLockFile(path, folder, what);
    let kept = false;
    try {
      // Windows forbids others to read a locked part: lock one byte far behind the text, so that they can.
      const granted =
        process.platform === 'win32' ? tryLock(fd, 2 ** 30, 1, { shared }) : tryLock(fd, 0, 0, { shared });
      if (!granted) return undefined;
      // Somebody may have removed the folder between open and lock. Then the lock is on a file nobody else opens.
      if (!isStillAt(fd, path)) continue;
      noteHolder(fd, shared);
      kept = true;
      return fd;
    } catch (cause) {
      throw new LeaseError(
        `${what} ${folder} cannot be locked (${messageOf(cause)}); put it on a local disk whose file system has locks.`,
        { code: 'unsupported', cause },
      );
    } finally {
      if (!kept) closeSync(fd);
    }
  }
}

// Windows forbids others to read a locked part: lock one byte far behind the text there, so that they can.
function lockFile(tryLock: TryLock, fd: number, shared: boolean): boolean {
  return process.platform === 'win32' ? tryLock(fd, 2 ** 30, 1, { shared }) : tryLock(fd, 0, 0, { shared });
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

// A plain descriptor, not a FileHandle: a handle that is no longer referenced is closed by the garbage collector.
function openLockFile(path: string, folder: string, what: string): number {
  try {
    mkdirSync(folder, { recursive: true });
    return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_APPEND, 0o600);
  } catch (cause) {
    throw new LeaseError(
      `${what} ${folder} cannot be written (${messageOf(cause)}); make it writable for this user, or use another folder.`,
      { code: 'store-refused', cause },
    );
  }
}

function isStillAt(fd: number, path: string): boolean {
  const ours = fstatSync(fd, { bigint: true });
  const there = statSync(path, { bigint: true, throwIfNoEntry: false });
  return there !== undefined && there.ino === ours.ino && there.dev === ours.dev;
}

function noteHolder(fd: number, shared: boolean): void {
  // An exclusive holder is alone and begins anew; holders of a shared lock append, so that all can be named.
  if (!shared) ftruncateSync(fd, 0);
  writeSync(fd, `${process.pid} ${hostname()}\n`);
}

function heldLock(fd: number): DirectoryLock {
  let held = true;
  return {
    fd,
    release() {
      if (held) {
        held = false;
        try {
          writeSync(fd, `-${process.pid} ${hostname()}\n`);
        } finally {
          closeSync(fd);
        }
      }
      return Promise.resolve();
    },
  };
}

function inUse(what: string, folder: string, path: string): LeaseError {
  const holders = readHolders(path);
  const who = holders.length === 0 ? 'another process' : holders.join(', ');
  const message =
    holders.length === 1 && who === `process ${process.pid}`
      ? `${what} ${folder} is already open in this process (pid ${process.pid}); close it first, or use another folder.`
      : `${what} ${folder} is in use by ${who}; stop that process, or use another folder.`;
  return new LeaseError(message, { code: 'in-use', retryable: true });
}

/** Whoever noted itself and may still be alive. A note of another host (a container's) cannot be checked. */
function readHolders(path: string): readonly string[] {
  const holds = new Map<string, number>();
  for (const line of readText(path).split('\n')) {
    const [, left, pid, host] = /^(-?)([1-9]\d{0,9}) (\S+)$/.exec(line) ?? [];
    if (pid === undefined || host === undefined) continue;
    if (host === hostname() && !isAlive(Number(pid))) continue;
    const holder = host === hostname() ? `process ${pid}` : `process ${pid} on ${host}`;
    holds.set(holder, (holds.get(holder) ?? 0) + (left === '-' ? -1 : 1));
  }
  return [...holds].filter(([, count]) => count > 0).map(([holder]) => holder);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
