/**
 * One lease, one step: read its state, let the core decide, swap the name. When the swap fails somebody was quicker:
 * look and decide again. The state we wrote last is remembered, so that a renewal, a release and the next acquire
 * need no look; it is only where a swap starts from. A refusal is never answered from memory.
 *
 * The core decides on one clock: the wall clock, which tokens are made of. Ends are kept by the boot clock, which
 * nobody can set. Both are read once per step, so an end is carried from one to the other and back without a change.
 */
import { readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { LeaseError } from '../../core/errors.ts';
import { emptyRecord, type Holder, type LeaseRecord } from '../../core/lease.ts';
import type { Clock, Random } from '../../core/ports.ts';
import type { BootClock } from '../../platform/boot-clock.ts';
import { codeOf, corruptFolder, fileError } from './file-error.ts';
import { fromKeyName, isHashedName, toKeyName } from './key-name.ts';
import type { LeaseJudge } from './lease-judge.ts';
import { freeName, heldName, parseLeaseName, poolName, type Term } from './lease-name.ts';
import { pause } from './pause.ts';
import { readPoolRecord, removePoolRecord, writePoolRecord } from './pool-record.ts';
import { createState, lookState, swapState } from './state-folder.ts';

export interface Decision<Reply> {
  readonly reply: Reply;
  /** The record that shall follow; absent: nothing changes. */
  readonly next?: LeaseRecord;
  /** Done before the swap, and undone if the swap fails. */
  readonly prepare?: () => () => void;
}

export interface LeaseFolders {
  /** Decides on the newest state and writes what was decided. Creates the folder only if `create` says so. */
  step<Reply>(
    key: string,
    create: boolean,
    decide: (record: LeaseRecord, nowUs: number) => Decision<Reply>,
  ): Promise<Reply>;
  /** The folder of a key, whether or not it exists. */
  folderOf(key: string): string;
  /** The keys that have a folder and begin with `prefix`, sorted. */
  keys(prefix: string): Promise<readonly string[]>;
}

export interface LeaseFoldersOptions {
  readonly dir: string;
  readonly clock: Pick<Clock, 'after' | 'wallMs'>;
  readonly boot: BootClock;
  readonly random: Random;
  readonly judge: LeaseJudge;
  /** What is written of the holder's process; `unknownHolderProcess` leaves the end to the TTL. */
  readonly holderProcess: () => string;
}

interface Seen {
  readonly name: string;
  readonly token: number;
  readonly terms: readonly Term[];
  readonly recordId?: string;
}

export function leaseFolders({ dir, clock, boot, random, judge, holderProcess }: LeaseFoldersOptions): LeaseFolders {
  const tools = { clock, random };
  /** A free name is ours alone: when a rename reports failure, we can tell whether it was our own that succeeded. */
  const writer = random.hex(4);
  let freeings = 0;
  /** The state we wrote last, by key. */
  const known = new Map<string, Seen>();

  const folderOf = (key: string): string => `${dir}/${toKeyName(key)}.lease`;
  const poolOf = (key: string): string => `${dir}/.pools/${toKeyName(key)}`;

  const remember = (key: string, seen: Seen): void => {
    known.delete(key);
    known.set(key, seen);
    if (known.size > knownMax) known.delete(known.keys().next().value ?? '');
  };

  async function look(key: string, create: boolean): Promise<Seen | undefined> {
    const folder = folderOf(key);
    for (let attempt = 1; attempt <= looksMax; attempt++) {
      const found = await lookState(tools, folder, parseLeaseName);
      if (found === 'missing') {
        if (!create) return undefined;
        const name = freeName(0, `${writer}-${++freeings}`);
        await createState(tools, { root: dir, folder, name, content: key, flush: isHashedName(toKeyName(key)) });
      } else if (found === 'empty') {
        if (!isSweptHalfWay(dir, toKeyName(key))) throw corruptFolder(folder, 'contains no state', key);
        if (!create) return undefined;
        removeIfEmpty(folder);
      } else if (found.kind === 'pool') {
        const terms = readPoolRecord(poolOf(key), found.recordId);
        if (terms) return { name: found.name, token: found.token, recordId: found.recordId, terms };
        await pause(clock, 1);
      } else {
        return { name: found.name, token: found.token, terms: found.kind === 'held' ? [found.term] : [] };
      }
    }
    throw corruptFolder(folder, 'stays without a state or without its record', key);
  }

  /** The holders that are not gone, with their ends carried over to the wall clock. */
  function toRecord(key: string, seen: Seen | undefined, bootUs: number, wallUs: number): LeaseRecord {
    if (!seen) return emptyRecord;
    const holders: Holder[] = [];
    for (const term of seen.terms) {
      const { owner, token, share } = term;
      const leftUs = judge.remainingUs(key, term, bootUs);
      if (leftUs !== undefined) holders.push({ owner, token, endUs: wallUs + leftUs, ...(share && { share }) });
    }
    return { token: seen.token, holders, line: [] };
  }

  /** The state to write; a term that did not change keeps the marks of whoever wrote it. */
  function toSeen(
    key: string,
    seen: Seen,
    before: LeaseRecord,
    next: LeaseRecord,
    shiftUs: number,
    bootUs: number,
  ): Seen {
    const { token } = next;
    const terms = next.holders.map((holder): Term => {
      const isSame = (other: Holder | Term): boolean => other.owner === holder.owner && other.token === holder.token;
      const old = before.holders.find(isSame)?.endUs === holder.endUs ? seen.terms.find(isSame) : undefined;
      if (old) return old;
      const endUs = holder.endUs - shiftUs;
      const ttlMs = Math.ceil((endUs - bootUs) / 1000);
      return { ...holder, endUs, ttlMs, boot: boot.bootId, process: holderProcess() };
    });
    const [first] = terms;
    if (!first) return { name: freeName(token, `${writer}-${++freeings}`), token, terms };
    if (!first.share) return { name: heldName(first), token, terms };
    const recordId = writePoolRecord(poolOf(key), seen.name, terms, random);
    return { name: poolName(token, recordId), token, terms, recordId };
  }

  async function write(
    key: string,
    folder: string,
    seen: Seen,
    wanted: Seen,
    prepare: (() => () => void) | undefined,
  ): Promise<boolean> {
    const undo = prepare?.();
    let swapped = false;
    try {
      swapped = await swapState(tools, folder, seen.name, wanted.name);
    } finally {
      const { recordId } = swapped ? seen : wanted;
      if (recordId) removePoolRecord(poolOf(key), recordId);
      if (swapped) remember(key, wanted);
      else {
        known.delete(key);
        undo?.();
      }
    }
    return swapped;
  }

  return {
    folderOf,
    async step(key, create, decide) {
      const folder = folderOf(key);
      let seen = known.get(key);
      let fresh = false;
      for (let attempt = 1; attempt <= swapsMax; attempt++) {
        if (!seen) {
          seen = await look(key, create);
          fresh = true;
        }
        const bootUs = boot.nowUs();
        const wallUs = Math.floor(clock.wallMs() * 1000);
        const before = toRecord(key, seen, bootUs, wallUs);
        const { reply, next, prepare } = decide(before, wallUs);
        const wanted = seen && next && toSeen(key, seen, before, next, wallUs - bootUs, bootUs);
        if (!seen || !wanted || wanted.name === seen.name) {
          if (fresh) return reply;
          seen = undefined;
          continue;
        }
        if (await write(key, folder, seen, wanted, prepare)) return reply;
        seen = undefined;
        if (attempt > swapsBeforePause) await pause(clock, random.fraction() * Math.min(attempt, 20));
      }
      throw new LeaseError(
        `The lease "${key}" changed ${swapsMax} times while it was being written; too many want it at once, try again.`,
        { code: 'store-unavailable', retryable: true, key },
      );
    },
    async keys(prefix) {
      const keys: string[] = [];
      for (const name of readLeaseNames(dir)) {
        const key = fromKeyName(name) ?? (isHashedName(name) ? await readHashedKey(name) : undefined);
        if (key?.startsWith(prefix)) keys.push(key);
      }
      return keys.sort();
    },
  };

  /** Every state file of a lease carries the key as its content, from the folder's first moment. */
  async function readHashedKey(name: string): Promise<string | undefined> {
    const folder = `${dir}/${name}.lease`;
    for (let attempt = 1; attempt <= looksMax; attempt++) {
      const found = await lookState(tools, folder, parseLeaseName);
      if (found === 'missing' || found === 'empty') return undefined;
      try {
        const key = readFileSync(`${folder}/${found.name}`, 'utf8');
        if (toKeyName(key) === name) return key;
        throw corruptFolder(folder, 'does not contain the key that its name stands for');
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw fileError(error, folder);
      }
    }
    return undefined;
  }
}

/** The names of the lease folders, without their ending. A store that nobody has used yet has none. */
export function readLeaseNames(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
      .filter((name) => name.endsWith('.lease'))
      .map((name) => name.slice(0, -'.lease'.length));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw fileError(error, dir);
  }
}

/** A sweep takes the state file of an idle lease out of its folder, then removes the empty folder. */
function isSweptHalfWay(dir: string, keyName: string): boolean {
  try {
    return readdirSync(`${dir}/.swept`).some((name) => name.startsWith(`${keyName}~`));
  } catch {
    return false;
  }
}

/** Harmless at any moment: a folder in use is not empty. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    return;
  }
}

/** States remembered; forgetting one costs a look. */
const knownMax = 10_000;
const looksMax = 20;
/** Each lost swap means that somebody else got on, so this many in a row means a crowd. */
const swapsMax = 1_000;
const swapsBeforePause = 4;
