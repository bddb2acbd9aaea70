/**
 * Ends a server when the test process was killed with -9, because its pipe to us closes then, and removes its files. The
 * server's pid is the first line of a file in its folder; nobody is ended who does not belong to that folder.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';

export interface ServerGuard {
  /** All is well: the server was ended by us. */
  dismiss(): Promise<void>;
  /** Ends the server now, and the guard. */
  end(): void;
}

export interface ServerGuardOptions {
  readonly dir: string;
  /** In the folder. */
  readonly pidFile: string;
  /** PostgreSQL must tell its children: QUIT, and not KILL. It may be frozen. */
  readonly signal: 'KILL' | 'QUIT';
}

/** Waits for the pipe to end; a line on it means that all is well. Several rounds: the server may just be starting. */
const script = `
  read -r word && exit 0
  seen=
  for round in 1 2 3 4 5 6 7 8; do
    pid=$(head -n 1 "$1/$2" 2>/dev/null)
    if [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; then
      # Only a process that works in the folder or names it: the pid may be somebody else's by now.
      place="$1"
      [ -d /proc/self ] && place="$(readlink "/proc/$pid/cwd") $(tr '\\0' ' ' <"/proc/$pid/cmdline")"
      case "$place" in *"$1"*) seen=1; kill -CONT "$pid"; kill "-$3" "$pid" ;; esac
    elif [ -n "$seen" ]; then
      break
    fi
    sleep 0.25
  done
  rm -rf "$1"
`;

export function startServerGuard({ dir, pidFile, signal }: ServerGuardOptions): ServerGuard {
  const guard = spawn('/bin/sh', ['-c', script, 'sh', dir, pidFile, signal], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const exited = once(guard, 'exit');
  // The guard is gone before it heard us only if somebody killed it; that is no reason to fail a test.
  guard.stdin.on('error', () => {});
  guard.unref();
  (guard.stdin as Socket).unref();
  return {
    async dismiss() {
      guard.ref();
      guard.stdin.end('done\n');
      await exited;
    },
    end: () => void guard.stdin.end(),
  };
}
