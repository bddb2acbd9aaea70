/**
 * The files of AutoSave, all under `project/autosave/`:
 *   current.json                          the document; proves itself
 *   history/<time>-<token>-<seq>.json     generations, each a copy of a `current.json`
 *   index.json                            a cache of the listing
 *   .tmp-<token>-<seq>-<c|h|i>            written in full before anything is renamed
 *   damaged.json                          a `current.json` that did not prove itself, put aside by the next save
 *
 * A save: all temporaries are written first, outside the mutex. Inside it, only renames and removals:
 *   1. c → current.json      the commit point: before it the old document, after it the new one
 *   2. h → history           3. i → index.json           4. surplus generations go
 * Every prefix is a state that `recover` reads. Nobody but the holder writes here; readers need no lock.
 */
import { byAge, generationName, parseGenerationName } from './generation-name.ts';
import { type HistoryLimits, type HistoryPlan, planHistory } from './plan-history.ts';
import { indexOf, isStaleTemporary, planRecovery } from './plan-recovery.ts';
import type { AutoSaveDirectory, MovableFile, OpenAutoSaveFiles } from './ports.ts';
import { decodeSavedFile, encodeSavedFile, type SavedFile, type SavedVersion } from './saved-file.ts';

/** Runs its argument inside the record's mutex, after the lease was compared. */
export type Commit = <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

export interface Recovered {
  /** Undefined: nothing was saved, or `damaged`. */
  readonly current: SavedFile | undefined;
  /** `current.json` is there and does not prove itself. */
  readonly damaged: boolean;
  readonly generations: readonly SavedVersion[];
}

export interface SaveRequest {
  readonly token: number;
  readonly seq: number;
  readonly time: number;
  /** The document as JSON. */
  readonly json: string;
  /** What is kept now, oldest first. */
  readonly generations: readonly SavedVersion[];
  readonly limits: HistoryLimits;
  /** Put the damaged `current.json` aside first. */
  readonly keepDamaged: boolean;
  readonly commit: Commit;
  /** The document is saved, whatever becomes of the rest. */
  readonly onCommitted: (version: SavedVersion) => void;
  readonly onSurplus: () => void;
}

export interface AutoSaveFolder {
  recover(token: number, limits: HistoryLimits, commit: Commit): Promise<Recovered>;
  /** Resolves with the generations that are kept. */
  save(request: SaveRequest): Promise<readonly SavedVersion[]>;
  /** Removes generations; used when the storage is full. */
  drop(plan: HistoryPlan, commit: Commit): Promise<void>;
  /** Oldest first. Empty where nothing was ever saved. */
  list(): Promise<readonly SavedVersion[]>;
  /** Undefined: there is no such file. `damaged`: it does not prove itself. */
  read(version?: SavedVersion): Promise<SavedFile | 'damaged' | undefined>;
}

const currentName = 'current.json';
const indexName = 'index.json';
const encoder = new TextEncoder();

export function autoSaveFolder(open: OpenAutoSaveFiles, sha256: (text: string) => Promise<string>): AutoSaveFolder {
  const folder = async (create: boolean): Promise<AutoSaveDirectory> =>
    (await (await open()).getDirectoryHandle('project', { create })).getDirectoryHandle('autosave', { create });
  const historyOf = (autosave: AutoSaveDirectory, create: boolean): Promise<AutoSaveDirectory> =>
    autosave.getDirectoryHandle('history', { create });

  const load = async (at: AutoSaveDirectory, name: string): Promise<SavedFile | 'damaged' | undefined> => {
    const found = await readText(at, name);
    return found && ((await decodeSavedFile(found.text, found.size, sha256)) ?? 'damaged');
  };
  const listIn = async (history: AutoSaveDirectory): Promise<readonly SavedVersion[]> => {
    const found: SavedVersion[] = [];
    for await (const name of history.keys()) {
      const version = parseGenerationName(name);
      const file = version && (await orMissing(history.getFileHandle(name).then((handle) => handle.getFile())));
      if (version && file) found.push({ ...version, bytes: file.size });
    }
    return found.sort(byAge);
  };
  const dropFrom = async (history: AutoSaveDirectory, versions: readonly SavedVersion[]): Promise<void> => {
    for (const version of versions) await orMissing(history.removeEntry(generationName(version)));
  };

  return {
    recover: (token, limits, commit) =>
      commit(async (signal) => {
        const autosave = await folder(true);
        const history = await historyOf(autosave, true);
        const names: string[] = [];
        for await (const name of autosave.keys()) names.push(name);
        // One that is still being written cannot be removed; its tab's commit will be refused.
        for (const name of names) if (isStaleTemporary(name, token)) await autosave.removeEntry(name).catch(() => {});
        const current = await load(autosave, currentName);
        const damaged = current === 'damaged';
        const found = damaged ? undefined : current;
        const plan = planRecovery({
          current: found,
          generations: await listIn(history),
          indexText: (await readText(autosave, indexName))?.text,
          limits,
        });
        const put = async (text: string, to: AutoSaveDirectory, name: string): Promise<void> => {
          const file = await writeFile(autosave, `.tmp-${token}-0-r`, encoder.encode(text));
          signal.throwIfAborted();
          await file.move(to, name);
        };
        if (found && plan.copyCurrent) {
          await put((await readText(autosave, currentName))?.text ?? '', history, generationName(found));
        }
        if (plan.indexText !== undefined) await put(plan.indexText, autosave, indexName);
        return { current: found, damaged, generations: plan.generations };
      }),

    async save({ token, seq, time, json, generations, limits, keepDamaged, commit, onCommitted, onSurplus }) {
      const autosave = await folder(true);
      const history = await historyOf(autosave, true);
      const data = encoder.encode(await encodeSavedFile({ token, seq, time }, json, sha256));
      const version: SavedVersion = { token, seq, time, bytes: data.length };
      const { keep, drop } = planHistory([...generations, version], data.length, limits);
      const nameOf = (part: string): string => `.tmp-${token}-${seq}-${part}`;
      try {
        const [c, i, h] = await all([
          writeFile(autosave, nameOf('c'), data),
          writeFile(autosave, nameOf('i'), encoder.encode(indexOf(version, keep))),
          ...(keep.includes(version) ? [writeFile(autosave, nameOf('h'), data)] : []),
        ]);
        await commit(async (signal) => {
          const move = async (file: MovableFile | undefined, to: AutoSaveDirectory, name: string): Promise<void> => {
            signal.throwIfAborted();
            await file?.move(to, name);
          };
          if (keepDamaged) await move(await autosave.getFileHandle(currentName), autosave, 'damaged.json');
          await move(c, autosave, currentName);
          onCommitted(version);
          await move(h, history, generationName(version));
          await move(i, autosave, indexName);
          if (drop.length) onSurplus();
          await dropFrom(history, drop);
        });
        return keep;
      } catch (error) {
        for (const part of 'chi') await autosave.removeEntry(nameOf(part)).catch(() => {});
        throw error;
      }
    },

    drop: ({ drop }, commit) => commit(async () => dropFrom(await historyOf(await folder(true), true), drop)),

    async list() {
      const history = await orMissing(folder(false).then((autosave) => historyOf(autosave, false)));
      return history ? listIn(history) : [];
    },

    async read(version) {
      const autosave = await orMissing(folder(false));
      const at = version && autosave ? await orMissing(historyOf(autosave, false)) : autosave;
      return at && load(at, version ? generationName(version) : currentName);
    },
  };
}

/** Waits for all of them also when one fails: a file that is open cannot be removed. */
async function all<T>(results: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(results);
  return Promise.all(results);
}

async function writeFile(at: AutoSaveDirectory, name: string, data: Uint8Array<ArrayBuffer>): Promise<MovableFile> {
  const file = await at.getFileHandle(name, { create: true });
  const writable = await file.createWritable();
  try {
    await writable.write({ type: 'write', position: 0, data });
    await writable.close();
  } catch (error) {
    await writable.abort().catch(() => {});
    throw error;
  }
  return file;
}

/** Undefined: there is no such file. A file that is renamed over while it is read is looked at again. */
async function readText(
  at: AutoSaveDirectory,
  name: string,
): Promise<{ readonly text: string; readonly size: number } | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      const file = await (await at.getFileHandle(name)).getFile();
      return { text: await file.text(), size: file.size };
    } catch (error) {
      if (isNamed(error, 'NotFoundError') && attempt > 1) return undefined;
      if (attempt > 9) throw error;
    }
  }
}

async function orMissing<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (isNamed(error, 'NotFoundError')) return undefined;
    throw error;
  }
}

export function isNamed(error: unknown, name: string): boolean {
  return error instanceof Error && error.name === name;
}
