/**
 * Removes what nobody needs any more. Safe at any moment beside processes that use the store:
 *
 *   idle lease     its state file is renamed out of the folder into `.swept/`, from the exact name that was judged
 *                  idle: a compare-and-swap, after which nobody can acquire from the old folder. Then `rmdir`, which
 *                  fails on a folder in use. Whoever finds the empty folder, and the file in `.swept/`, goes on itself.
 *   prepared folder  renamed away first, so that its maker finds it gone and not half-empty
 *   orphaned record  listed first, then the state is looked at: its base can no longer be the state
 *
 * A lease that comes again starts at token 0; the clock half keeps its tokens above the old ones, which is why only
 * leases whose token lies behind the clock by the whole age are taken. Fences stay for ever.
 */
import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { platform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import type { Clock, Random } from '../../core/ports.ts';
import { type BootClock, bootClock } from '../../platform/boot-clock.ts';
import { codeOf, fileError } from './file-error.ts';
import { readLeaseNames } from './lease-folders.ts';
import { leaseJudge } from './lease-judge.ts';
import { type LeaseName, parseLeaseName, type Term } from './lease-name.ts';
import { isNetworkDisk } from './network-disk.ts';
import { isRecordBasedOn, readPoolRecord } from './pool-record.ts';
import { lookState } from './state-folder.ts';

export interface SweepFileStoreOptions {
  /** The folder given to `fileStore`. */
  readonly dir: string;
  /** How long a lease must have been idle. From a minute on. @default 86_400_000 (a day) */
  readonly olderThanMs?: number;
  /** @default the platform's clock */
  readonly clock?: Pick<Clock, 'after' | 'wallMs'>;
  /** @default the machine's */
  readonly boot?: BootClock;
  /** @default the platform's */
  readonly random?: Random;
}

/** How many of each were removed. */
export interface FileSweep {
  readonly leases: number;
  readonly leftovers: number;
}

/** Removes idle leases and left-overs of crashes that are older than a given age. */
export async function sweepFileStore(options: SweepFileStoreOptions): Promise<FileSweep> {
  const { olderThanMs = 86_400_000, clock = platform.clock, boot = bootClock(), random = platform.random } = options;
  if (!(Number.isFinite(olderThanMs) && olderThanMs >= 60_000)) {
    throw new LeaseError(`olderThanMs must be at least 60000, got ${olderThanMs}.`, { code: 'invalid-argument' });
  }
  const dir = resolve(options.dir);
  const tools = { clock, random };
  const beforeMs = clock.wallMs() - olderThanMs;
  const judge = leaseJudge({ boot, releaseOnCrash: false, isShared: () => isNetworkDisk(dir) });
  const isOld = (path: string): boolean => {
    const changedMs = ignoring(['ENOENT'], () => lstatSync(path).mtimeMs);
    return changedMs !== undefined && changedMs < beforeMs;
  };
  let leases = 0;
  let leftovers = 0;

  const isIdle = (name: string, state: LeaseName): boolean => {
    const terms = termsOf(dir, name, state);
    const inForce = terms?.some((term) => (judge.remainingUs(name, term, boot.nowUs()) ?? 0) > 0) ?? true;
    return !inForce && state.token < beforeMs * 1000;
  };

  async function sweepLease(name: string): Promise<void> {
    const folder = `${dir}/${name}.lease`;
    // A folder with anything else in it could not be removed afterwards.
    if (!isOld(folder) || namesIn(folder).length !== 1) return;
    const state = await lookState(tools, folder, parseLeaseName);
    if (state === 'missing' || state === 'empty' || !isIdle(name, state)) return;
    const taken = `${dir}/.swept/${name}~${random.hex(8)}`;
    mkdirSync(`${dir}/.swept`, { recursive: true });
    try {
      renameSync(`${folder}/${state.name}`, taken);
    } catch (error) {
      // Somebody acquired it: not idle.
      if (codeOf(error) === 'ENOENT') return;
      throw error;
    }
    leases++;
    finishSwept(folder, taken);
  }

  async function sweepRecords(name: string): Promise<void> {
    const folder = `${dir}/.pools/${name}`;
    const records = namesIn(folder);
    const state = await lookState(tools, `${dir}/${name}.lease`, parseLeaseName);
    for (const recordId of records) {
      const current = typeof state === 'object' ? state : undefined;
      if (current?.kind === 'pool' && current.recordId === recordId) continue;
      if (current && isRecordBasedOn(recordId, current.name)) continue;
      ignoring(['ENOENT'], () => unlinkSync(`${folder}/${recordId}`));
      leftovers++;
    }
    ignoring(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => rmdirSync(folder));
  }

  try {
    for (const name of readLeaseNames(dir)) await skippingCorrupt(() => sweepLease(name));
    for (const name of namesIn(`${dir}/.pools`)) await skippingCorrupt(() => sweepRecords(name));
    for (const name of namesIn(`${dir}/.swept`)) {
      if (!isOld(`${dir}/.swept/${name}`)) continue;
      finishSwept(`${dir}/${name.slice(0, name.lastIndexOf('~'))}.lease`, `${dir}/.swept/${name}`);
      leftovers++;
    }
    for (const name of namesIn(`${dir}/.broken`)) {
      if (!isOld(`${dir}/.broken/${name}`)) continue;
      rmSync(`${dir}/.broken/${name}`, { force: true });
      leftovers++;
    }
    for (const name of namesIn(dir)) {
      if (!/^\.(?:new|gone)-[0-9a-f]+$/.test(name) || !isOld(`${dir}/${name}`)) continue;
      const gone = `${dir}/.gone-${random.hex(8)}`;
      ignoring(['ENOENT'], () => renameSync(`${dir}/${name}`, gone));
      rmSync(gone, { recursive: true, force: true });
      leftovers++;
    }
  } catch (error) {
    throw fileError(error, dir);
  }
  return { leases, leftovers };
}

/** The holders that a state names; undefined: it has changed meanwhile. */
function termsOf(dir: string, name: string, state: LeaseName): readonly Term[] | undefined {
  if (state.kind === 'held') return [state.term];
  return state.kind === 'pool' ? readPoolRecord(`${dir}/.pools/${name}`, state.recordId) : [];
}

/** Removes the folder that was emptied, then the sign that it was. The sign stays while the folder is still empty. */
function finishSwept(folder: string, taken: string): void {
  ignoring(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => rmdirSync(folder));
  const names = namesIn(folder);
  if (names.length === 0 || names.some((name) => !name.startsWith('.'))) rmSync(taken, { force: true });
}

function namesIn(folder: string): readonly string[] {
  return ignoring(['ENOENT', 'ENOTDIR'], () => readdirSync(folder)) ?? [];
}

/** A folder that a person must look at stays as it is; the others are swept all the same. */
async function skippingCorrupt(sweep: () => Promise<void>): Promise<void> {
  try {
    await sweep();
  } catch (error) {
    if (!(error instanceof LeaseError && error.code === 'store-corrupt')) throw error;
  }
}

function ignoring<T>(codes: readonly string[], run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (codes.includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}
