/**
 * Makes a new, empty PostgreSQL data folder. It is made beside its place and moved there when complete and on disk,
 * so that a crash in the middle leaves nothing that looks like data.
 */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LeaseError } from '../core/errors.ts';
import type { PostgresBinaries } from './find-binaries.ts';
import { giveTo, type RunAs, runProgram } from './run-as.ts';

export interface InitClusterOptions {
  readonly binaries: PostgresBinaries;
  readonly runAs: RunAs;
  readonly dataDir: string;
  /** Where the password is kept, readable by its owner only. */
  readonly passwordFile: string;
  readonly password: string;
  /** Wait until the new files are on disk. Only tests say false. @default true */
  readonly sync?: boolean;
}

/** The superuser of a private server; its data is in the database `postgres`. */
export const superuser = 'kannuki';

export async function initCluster(options: InitClusterOptions): Promise<void> {
  const { binaries, runAs, dataDir, passwordFile, password, sync = true } = options;
  const growing = `${dataDir}.new`;
  try {
    rmSync(growing, { recursive: true, force: true });
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    chmodSync(passwordFile, 0o600);
    giveTo(runAs, passwordFile);
    // Its user may not be allowed to make it, but may fill an empty folder.
    mkdirSync(growing, { mode: 0o700 });
    giveTo(runAs, growing);
    await runProgram(runAs, join(binaries.bin, 'initdb'), [
      `--pgdata=${growing}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--data-checksums',
      '--no-instructions',
      ...(sync ? [] : ['--no-sync']),
    ]);
    renameSync(growing, dataDir);
    if (sync) syncFolder(dirname(dataDir));
  } catch (cause) {
    rmSync(growing, { recursive: true, force: true });
    const { stderr } = cause as { readonly stderr?: string };
    const detail = stderr?.trim() || (cause instanceof Error ? cause.message : String(cause));
    throw new LeaseError(`A new PostgreSQL ${binaries.major} data folder could not be made at ${dataDir}: ${detail}`, {
      code: 'store-unavailable',
      cause,
    });
  }
}

/** A rename is on disk only when its folder is. */
function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
