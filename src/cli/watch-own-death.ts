/**
 * If this process is killed with -9 it cannot end its command. So a tiny shell holds the other end of a pipe. It is told
 * the command's group, then reads one word when all went well, or end-of-file when we are gone, upon which it ends the
 * group. It is started before the command and told of it in the turn in which it begins to exist. Killed in that very
 * moment, or where there is no shell, the command goes on, the lease ends with its TTL, and the fencing number tells
 * its late writes apart.
 */
import { spawn } from 'node:child_process';

export interface OwnDeathWatch {
  /** From now on this process group ends with us. */
  guard(groupPid: number): void;
  /** All went well: the group is left alone. */
  done(): void;
}

const script = `
read -r group || exit 0
read -r word
[ "$word" = done ] && exit 0
kill -s TERM -- "-$group"
kill -s CONT -- "-$group"
sleep "$1"
kill -s KILL -- "-$group"
`;

export function watchOwnDeath(graceMs: number): OwnDeathWatch {
  if (process.platform === 'win32') return { guard() {}, done() {} };
  const args = ['-c', script, 'kannuki-exec-watch', String(Math.ceil(graceMs / 1_000))];
  // In a session of its own, so that Ctrl-C in the terminal does not end the watch.
  const shell = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' });
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  return {
    guard: (groupPid) => void shell.stdin.write(`${groupPid}\n`),
    done: () => void shell.stdin.end('done\n'),
  };
}
