/**
 * PostgreSQL refuses to run as root. As root we try, in this order:
 * 1. a user namespace in which root has another id. Outside, its files are still root's, so it also works below a
 *    folder that only root can enter, and nothing changes its owner;
 * 2. an unprivileged user. The programs and the folder must be reachable for that user.
 * An ordinary user runs it as itself.
 */
import { execFile } from 'node:child_process';
import { lchownSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './find-binaries.ts';

export interface RunAs {
  readonly how: 'namespace' | 'self' | 'user';
  /** Who the server believes to be. */
  readonly uid: number;
  readonly gid: number;
}

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

export interface RunCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: { readonly uid?: number; readonly gid?: number };
}

export type RunAsChoice = { readonly runAs: RunAs } | { readonly reason: string };

/** The first way in which the programs really run and `dir` can be entered, or why there is none. */
export async function chooseRunAs(
  binaries: PostgresBinaries,
  dir: string,
  dataOwner?: FileOwner,
): Promise<RunAsChoice> {
  const reasons: string[] = [];
  for (const runAs of waysToRun(dataOwner)) {
    try {
      await runProgram(runAs, join(binaries.bin, 'postgres'), ['--version']);
      if (runAs.how === 'user') await runProgram(runAs, '/bin/sh', ['-c', 'cd "$1"', 'sh', dir]);
      return { runAs };
    } catch (error) {
      const { stderr } = error as { readonly stderr?: string };
      const detail = stderr?.trim().split('\n')[0] || (error instanceof Error ? error.message : String(error));
      reasons.push(runAs.how === 'self' ? detail : `${runAs.how}: ${detail}`);
    }
  }
  return { reason: reasons.join('; ') };
}

/** How to spawn a program that way. The pid stays the program's own. */
export function commandAs({ how, uid, gid }: RunAs, command: string, args: readonly string[]): RunCommand {
  if (how === 'self') return { command, args, options: {} };
  if (how === 'user') return { command, args, options: { uid, gid } };
  return {
    command: 'unshare',
    args: ['-U', `--map-user=${uid}`, `--map-group=${gid}`, '--', command, ...args],
    options: {},
  };
}

/** Runs a program to its end and gives its output; a failure carries `stderr`. */
export async function runProgram(runAs: RunAs, path: string, programArgs: readonly string[]): Promise<string> {
  const { command, args, options } = commandAs(runAs, path, programArgs);
  const { stdout } = await promisify(execFile)(command, args, {
    ...options,
    cwd: '/',
    env: programEnv(),
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
}

/** Our environment without what would redirect PostgreSQL's programs, in plain English. */
export function programEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  return { ...Object.fromEntries(kept), LC_ALL: 'C' };
}

/** Root only: gives a file or tree to whoever the server's files must belong to. */
export function giveTo(runAs: RunAs, path: string): void {
  if (runAs.how === 'self') return;
  const { uid, gid } = runAs.how === 'user' ? runAs : { uid: 0, gid: 0 };
  const { uid: ownerId } = lstatSync(path);
  if (ownerId !== uid) chownTree(path, uid, gid);
}

/** The top comes last: when it has its new owner, all of it has. */
function chownTree(path: string, uid: number, gid: number): void {
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) chownTree(join(path, name), uid, gid);
  lchownSync(path, uid, gid);
}

function waysToRun(dataOwner: FileOwner | undefined): readonly RunAs[] {
  const uid = process.getuid?.() ?? -1;
  if (uid !== 0) return [{ how: 'self', uid, gid: process.getgid?.() ?? -1 }];
  // Data of an ordinary user stays that user's, also when root starts it once.
  if (dataOwner && dataOwner.uid !== 0) return [{ how: 'user', uid: dataOwner.uid, gid: dataOwner.gid }];
  const nobody = unprivilegedUser();
  const dropped: RunAs = { how: 'user', ...nobody };
  return process.platform === 'linux' ? [{ how: 'namespace', ...nobody }, dropped] : [dropped];
}

/** `initdb` looks its user up, so it must be one that the machine knows. */
function unprivilegedUser(): FileOwner {
  const users = readPasswd().filter(({ uid }) => uid > 0);
  const { uid, gid } = users.find(({ name }) => name === 'nobody') ?? users[0] ?? { uid: 65_534, gid: 65_534 };
  return { uid, gid };
}

function readPasswd(): readonly (FileOwner & { readonly name: string })[] {
  try {
    return readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
  } catch {
    return [];
  }
}
