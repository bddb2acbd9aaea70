/**
 * If this process is killed with -9 it cannot end its command. So a tiny shell holds the other end of a pipe: it reads
 * one word when all went well, and end-of-file when we are gone, upon which it ends the group. Where there is no shell
 * the command goes on, the lease ends with its TTL, and the fencing number tells its late writes apart.
 */
import { spawn } from 'node:child_process';

export interface OwnDeathWatch {
  /** All went well: the group is left alone. */
  done(): void;
}

const script = `
read -r word
[ "$word" = done ] && exit 0
kill -s TERM -- "-$1"
kill -s CONT -- "-$1"
sleep "$2"
kill -s KILL -- "-$1"
`;

export function watchOwnDeath(groupPid: number, graceMs: number): OwnDeathWatch {
  if (process.platform === 'win32') return { done() {} };
  const args = ['-c', script, 'kannuki-exec-watch', String(groupPid), String(Math.ceil(graceMs / 1_000))];
  // In a session of its own, so that Ctrl-C in the terminal does not end the watch.
  const shell = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: '/' });
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  return { done: () => void shell.stdin.end('done\n') };
}
