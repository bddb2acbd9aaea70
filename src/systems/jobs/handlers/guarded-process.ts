/**
 * A command that never outlives its worker, also when the worker is killed with -9.
 *
 * A small shell leads the process group. Before it starts the command it starts a guard that reads a pipe whose other
 * end only the worker holds:
 *
 *   the worker dies          the pipe ends; the guard sends SIGTERM to the group, and SIGKILL after the grace time
 *   the run is to stop       the worker sends SIGTERM to the group, and SIGKILL after the grace time
 *   the command has ended    the shell ends with its exit code; what the command left in its group is killed
 *
 * There is no moment in which the command runs without its guard. Where there is no shell (Windows) the command is
 * started alone and ends with its worker only when the worker says so.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../../core/ports.ts';

export type ProcessEnd = { readonly code: number } | { readonly signal: string };

export interface GuardedProcess {
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly stdin: Writable;
  /** Resolves when the command has ended and its group is gone. */
  readonly ended: Promise<ProcessEnd>;
  /** SIGTERM to the whole group, SIGKILL to what is left after the grace time. */
  stop(): void;
}

export interface GuardedProcessOptions {
  /** The program, found already, and its arguments. */
  readonly command: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly graceMs: number;
  readonly clock: Clock;
}

/** 3: the worker's pipe. 4: what the command reads. The guard must not hear the SIGTERM that it sends. */
const script = `
grace=$1; shift
( trap '' TERM INT HUP
  exec 4<&- >/dev/null 2>&1
  read -r word <&3
  kill -s TERM -- "-$$"; kill -s CONT -- "-$$"
  sleep "$grace"
  kill -s KILL -- "-$$" ) &
trap : TERM INT HUP
"$@" <&4 3<&- 4<&- &
exec 3<&- 4<&- >/dev/null 2>&1
while :; do
  wait "$!"; code=$?
  kill -s 0 "$!" 2>/dev/null || exit "$code"
done
`;

/** Rejects when the process cannot be started at all. */
export async function startGuardedProcess(options: GuardedProcessOptions): Promise<GuardedProcess> {
  const { command, cwd, env, graceMs, clock } = options;
  const [file = '', ...args] = command;
  const guarded = process.platform !== 'win32';
  const child: ChildProcess = guarded
    ? spawn('/bin/sh', ['-c', script, 'kannuki-run', String(Math.max(1, Math.ceil(graceMs / 1_000))), file, ...args], {
        stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
        detached: true,
        cwd,
        env,
      })
    : spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'], cwd, env });
  const exited = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (code, signal) => {
      // The guard is still in the group, so its number cannot be somebody else's.
      if (guarded) sendToGroup(child, 'SIGKILL');
      resolve(signal === null ? endOf(code ?? 1, guarded) : { signal });
    });
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  // From here on an error only says that a signal could not be sent.
  child.on('error', () => {});
  const stdin = (guarded ? child.stdio[4] : child.stdio[0]) as Writable;
  // A command need not read what it is given.
  stdin.on('error', () => {});
  child.stdio[3]?.on('error', () => {});

  let stopping = false;
  return {
    stdout: child.stdout as Readable,
    stderr: child.stderr as Readable,
    stdin,
    ended: Promise.all([exited, closed]).then(([end]) => end),
    stop() {
      if (stopping) return;
      stopping = true;
      sendToGroup(child, 'SIGTERM');
      // A stopped process would not hear it.
      sendToGroup(child, 'SIGCONT');
      const timer = clock.after(graceMs, () => sendToGroup(child, 'SIGKILL'));
      void exited.then(() => timer.cancel());
    },
  };
}

function sendToGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal);
  } catch {
    // Nobody is left.
  }
}

/** A shell tells of signal n as 128 + n. */
function endOf(code: number, guarded: boolean): ProcessEnd {
  const signal = guarded && code > 128 && code < 160 ? signalNames[code - 128] : undefined;
  return signal === undefined ? { code } : { signal };
}

const signalNames: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  6: 'SIGABRT',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  15: 'SIGTERM',
};
