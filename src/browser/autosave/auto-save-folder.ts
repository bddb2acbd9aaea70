/**
 * The files of AutoSave, all under `project/autosave/`:
 *   current.json                          the document; proves itself
 *   history/<time>-<token>-<seq>.json     generations, each a copy of a `current.json`
 *   index.json                            a cache of the listing
 *   .tmp-<token>-<seq>-<c|h|i|r>          written in full before anything is renamed
 *   damaged.json                          a `current.json` that did not prove itself, kept by the next save
 *
 * A save: all temporaries are written first, outside the mutex. Inside it, only renames and removals:
 *   1. c → current.json      the commit point: before it the old document, after it the new one
 *   2. h → history           3. i → index.json           4. surplus generations go
 * Every prefix is a state that `recover` reads: a `current.json` that has no generation, because its writer died after
 * step 1, gets one (r) before the next step 1. Only the holder writes; readers need no lock.
 */
import type { ProjectLock } from '../project-lock/project-lock.ts';
import type { ProjectLockLease } from '../project-lock/project-lock-lease.ts';
import { byAge, generationName, parseGenerationName } from './generation-name.ts';
import { historyIndex } from './history-index.ts';
import { type HistoryLimits, isWithoutGeneration, planHistory, planShrink } from './plan-history.ts';
import type { AutoSaveDirectory, MovableFile, OpenAutoSaveFiles } from './ports.ts';
import {
  decodeSavedFile,
  encodeSavedFile,
  type SavedFile,
  type SavedVersion,
  type SaveName,
  versionOf,
} from './saved-file.ts';
import { isStaleTemporary } from './stale-temporary.ts';

/** Runs `work` inside the record's mutex, after the lease was compared. */
export type Commit = ProjectLock['commit'];

/** Undefined: there is no such file. `damaged`: it does not prove itself. */
export type LoadedFile = SavedFile | 'damaged' | undefined;

export interface AutoSaveFolder {
  /** What is kept, oldest first. Undefined: not known for certain; `recover` comes before the next save. */
  kept: readonly SavedVersion[] | undefined;
  /** Removes what a dead tab might still rename, then looks. Deletes nothing else. Resolves with `current.json`. */
  recover(lease: ProjectLockLease): Promise<LoadedFile>;
  /** `json` is the document as JSON. After `onStep('updating-index')` the document is saved, whatever becomes of the rest. */
  save(
    lease: ProjectLockLease,
    name: SaveName,
    json: string,
    onStep: (step: 'updating-index' | 'gc', version: SavedVersion) => void,
  ): Promise<void>;
  /** Newest first. Empty where nothing was ever saved. */
  list(): Promise<readonly SavedVersion[]>;
  /** A generation, or `current.json`. */
  read(name?: SaveName): Promise<LoadedFile>;
}

const home = 'project/autosave';
const historyHome = `${home}/history`;
const currentName = 'current.json';
const indexName = 'index.json';
const encoder = new TextEncoder();

export function autoSaveFolder(
  open: OpenAutoSaveFiles,
  sha256: (text: string) => Promise<string>,
  limits: HistoryLimits,
  commit: Commit,
): AutoSaveFolder {
  /** A copy of `current.json` to be made before it is replaced, because it has none, or is damaged: where, and what. */
  let rescue: { readonly home: string; readonly name: string; readonly text: string } | undefined;

  const at = async (path: string, create: boolean): Promise<AutoSaveDirectory> => {
    let folder = await open();
    for (const name of path.split('/')) folder = await folder.getDirectoryHandle(name, { create });
    return folder;
  };
  const prove = async (found: FoundText | undefined): Promise<LoadedFile> =>
    found && ((await decodeSavedFile(found.text, found.size, sha256)) ?? 'damaged');
  const listIn = async (history: AutoSaveDirectory): Promise<SavedVersion[]> => {
    const found: SavedVersion[] = [];
    for await (const name of history.keys()) {
      const version = parseGenerationName(name);
      const file = version && (await orMissing(async () => (await history.getFileHandle(name)).getFile()));
      if (version && file) found.push({ ...version, bytes: file.size });
    }
    return found.sort(byAge);
  };
  const dropFrom = async (
    history: AutoSaveDirectory,
    versions: readonly SavedVersion[],
    signal: AbortSignal,
  ): Promise<void> => {
    for (const version of versions) {
      signal.throwIfAborted();
      await tryRemove(history, generationName(version));
    }
  };

  const folder: AutoSaveFolder = {
    kept: undefined,

    recover: (lease) =>
      commit(lease, async () => {
        const history = await at(historyHome, true);
        const autosave = await at(home, true);
        const names: string[] = [];
        for await (const name of autosave.keys()) names.push(name);
        // One that is still being written cannot be removed; its tab's commit will be refused.
        for (const name of names) if (isStaleTemporary(name, lease.token)) await tryRemove(autosave, name);
        const found = await readText(autosave, currentName);
        const file = await prove(found);
        const kept = await listIn(history);
        rescue = undefined;
        if (found && file === 'damaged') rescue = { ...found, home, name: 'damaged.json' };
        else if (found && file && file !== 'damaged' && isWithoutGeneration(file, kept)) {
          rescue = { ...found, home: historyHome, name: generationName(file) };
          kept.push(versionOf(file));
          kept.sort(byAge);
        }
        folder.kept = kept;
        return file;
      }),

    async save(lease, name, json, onStep) {
      const history = await at(historyHome, true);
      const autosave = await at(home, true);
      const data = encoder.encode(await encodeSavedFile(name, json, sha256));
      const version = { ...name, bytes: data.length };
      const kept = folder.kept ?? [];
      const { keep, drop } = planHistory([...kept, version], data.length, limits);
      const nameOf = (part: string): string => `.tmp-${version.token}-${version.seq}-${part}`;
      const write = (part: string, content = data): Promise<MovableFile> => writeFile(autosave, nameOf(part), content);
      try {
        const files = [
          write('c'),
          write('i', encoder.encode(historyIndex(version, keep))),
          keep.includes(version) ? write('h') : undefined,
          rescue && write('r', encoder.encode(rescue.text)),
        ];
        // All of them, also when one fails: a file that is open cannot be removed.
        await Promise.allSettled(files);
        const [c, i, h, r] = await Promise.all(files);
        await commit(lease, async (signal) => {
          const move = async (file: MovableFile | undefined, to: AutoSaveDirectory, newName: string): Promise<void> => {
            signal.throwIfAborted();
            await file?.move(to, newName);
          };
          if (rescue) await move(r, await at(rescue.home, true), rescue.name);
          rescue = undefined;
          await move(c, autosave, currentName);
          folder.kept = undefined;
          onStep('updating-index', version);
          await move(h, history, generationName(version));
          await move(i, autosave, indexName);
          if (drop.length) onStep('gc', version);
          await dropFrom(history, drop, signal);
          folder.kept = keep;
        });
      } catch (error) {
        for (const part of 'chir') await tryRemove(autosave, nameOf(part));
        const shrunk = planShrink(kept);
        if (!isNamed(error, 'QuotaExceededError') || !shrunk.drop.length) throw error;
        await commit(lease, (signal) => dropFrom(history, shrunk.drop, signal));
        folder.kept = shrunk.keep;
        await folder.save(lease, name, json, onStep);
      }
    },

    list: async () => ((await orMissing(async () => listIn(await at(historyHome, false)))) ?? []).reverse(),

    read: (name) =>
      orMissing(async () =>
        prove(await readText(await at(name ? historyHome : home, false), name ? generationName(name) : currentName)),
      ),
  };
  return folder;
}

const tryRemove = (folder: AutoSaveDirectory, name: string): Promise<void> => folder.removeEntry(name).catch(() => {});

async function writeFile(folder: AutoSaveDirectory, name: string, data: Uint8Array<ArrayBuffer>): Promise<MovableFile> {
  const file = await folder.getFileHandle(name, { create: true });
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

interface FoundText {
  readonly text: string;
  readonly size: number;
}

/** Undefined: there is no such file. A file that is renamed over while it is read is looked at again. */
async function readText(folder: AutoSaveDirectory, name: string, attempts = 9): Promise<FoundText | undefined> {
  try {
    return await orMissing(async () => {
      const file = await (await folder.getFileHandle(name)).getFile();
      return { text: await file.text(), size: file.size };
    });
  } catch (error) {
    if (!attempts) throw error;
    return readText(folder, name, attempts - 1);
  }
}

async function orMissing<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    if (!isNamed(error, 'NotFoundError')) throw error;
  }
}

export function isNamed(error: unknown, name: string): boolean {
  return Object(error).name === name;
}
