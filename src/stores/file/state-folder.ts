/**
 * A folder that always contains exactly one file, whose name is the state.
 *
 *   create   a prepared folder is renamed to its place; onto a folder that is not empty this fails, so one wins
 *   look     readdir; a rename caught half-way may show no name or two, so look again before judging
 *   swap     rename from the name seen to the name wanted: a compare-and-swap, since the old name is then gone
 *
 * Every step is one system call on one name: there is no half-done state to repair. The calls are synchronous: on a
 * local disk they take some microseconds, less than a trip through the thread pool. Names that begin with a dot are
 * not ours (.DS_Store) and are left alone. A name must never come twice, else a slow swap could hit a later state.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock, Random } from '../../core/ports.ts';
import { codeOf, corruptFolder, fileError } from './file-error.ts';
import { pause } from './pause.ts';

/** What a look at a folder may find besides a state. */
export type StateFolder<State> = State | 'missing' | 'empty';

export interface StateTools {
  readonly clock: Pick<Clock, 'after'>;
  readonly random: Random;
}

export interface NewState {
  /** Where folders are prepared: on the same disk as `folder`. */
  readonly root: string;
  readonly folder: string;
  readonly name: string;
  /** The file's content, which stays the same for ever. */
  readonly content: string;
  /** Wait until the content is on the disk. */
  readonly flush: boolean;
}

/** Brings a folder into being. Whether it was us or somebody else at the same time, it is there afterwards. */
export async function createState(tools: StateTools, { root, folder, name, content, flush }: NewState): Promise<void> {
  const fresh = `${root}/.new-${tools.random.hex(8)}`;
  for (let attempt = 1; ; attempt++) {
    try {
      mkdirSync(dirname(folder), { recursive: true });
      mkdirSync(fresh, { recursive: true });
      writeFileSync(`${fresh}/${name}`, content, { flag: 'wx', flush });
      renameSync(fresh, folder);
      return;
    } catch (error) {
      removeQuietly(fresh);
      const code = codeOf(error);
      if (code === 'ENOTEMPTY' || existsSync(folder)) return;
      // ENOENT: somebody swept the prepared folder, or removed the whole store. EEXIST: it was there a moment ago.
      if (attempt >= attemptsMax || !(isMomentary(code) || code === 'ENOENT' || code === 'EEXIST')) {
        throw fileError(error, root);
      }
      await pause(tools.clock, attempt);
    }
  }
}

/** The state a folder is in. Throws `store-corrupt` on names that are not ours, or two that stay. */
export async function lookState<State>(
  tools: StateTools,
  folder: string,
  parse: (name: string) => State | undefined,
): Promise<StateFolder<State>> {
  let before = '';
  for (let attempt = 1; ; attempt++) {
    const names = readNames(folder);
    if (names === undefined) return 'missing';
    const [name, second] = names;
    if (name !== undefined && second === undefined) {
      const state = parse(name);
      if (state !== undefined) return state;
    }
    if (attempt >= attemptsMax) {
      if (name === undefined) return 'empty';
      const foreign = names.find((other) => parse(other) === undefined);
      if (foreign !== undefined) throw corruptFolder(folder, `contains "${foreign}", which is not a state`);
      // Two names that change with every look are renames caught half-way: any of them will do, the swap decides.
      const last = [...names].sort(byToken).at(-1);
      const state = names.join('/') !== before && last !== undefined ? parse(last) : undefined;
      if (state !== undefined) return state;
      throw corruptFolder(folder, `contains ${names.length} states instead of one`);
    }
    before = names.join('/');
    if (attempt > 2) await pause(tools.clock, 1);
  }
}

/** True: we did it. False: the folder is in another state by now. */
export async function swapState(tools: StateTools, folder: string, from: string, to: string): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      renameSync(`${folder}/${from}`, `${folder}/${to}`);
      return true;
    } catch (error) {
      const code = codeOf(error);
      // A repeated request on a network disk reports failure for a rename that succeeded: the target tells.
      if (code === 'ENOENT') return existsSync(`${folder}/${to}`);
      if (attempt >= attemptsMax || !isMomentary(code)) throw fileError(error, folder);
      await pause(tools.clock, attempt);
    }
  }
}

/** With pauses of 1, 2, 3 … ms this is about 50 ms: longer than a scanner holds a file, short for a person. */
const attemptsMax = 10;

/** On Windows a rename fails while a scanner has the file open. */
function isMomentary(code: string | undefined): boolean {
  return code === 'EPERM' || code === 'EBUSY';
}

function readNames(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder).filter((name) => !name.startsWith('.'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'ENOTDIR' && existsSync(folder)) throw corruptFolder(folder, 'is a file, not a folder');
    throw fileError(error, folder);
  }
}

/** What cannot be removed now is swept later; the error that brought us here says more. */
function removeQuietly(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    return;
  }
}

function byToken(a: string, b: string): number {
  return Number.parseInt(a, 10) - Number.parseInt(b, 10);
}
