/** Looks into the earlier versions. Loaded only when a page asks: most never do. */
import type { RestoreOffer } from './auto-save.ts';
import type { AutoSaveError } from './auto-save-error.ts';
import type { AutoSaveFolder } from './auto-save-folder.ts';
import type { SavedFile, SavedVersion } from './saved-file.ts';

export interface SavedHistory {
  /** Newest first. */
  list(): Promise<readonly SavedVersion[]>;
  /** What was saved at `time`, or `current.json`. */
  read(time?: number): Promise<SavedFile>;
  /** The newest version that proves itself. `damaged`: something newer does not. Null: there is nothing at all. */
  offer(damaged: boolean): Promise<RestoreOffer<unknown> | null>;
}

/** The error class comes from the page, which has it anyway: a bundler would split it off otherwise. */
export function savedHistory(
  folder: Pick<AutoSaveFolder, 'list' | 'read'>,
  Failure: typeof AutoSaveError,
): SavedHistory {
  const reading = <R>(result: Promise<R>): Promise<R> =>
    result.catch((cause) => {
      throw new Failure('read-failed', cause);
    });
  const list = (): Promise<readonly SavedVersion[]> => reading(folder.list());
  return {
    list,
    async read(time) {
      const isCurrent = time === undefined;
      const version = isCurrent ? undefined : (await list()).find((saved) => saved.time === time);
      const file = isCurrent || version ? await reading(folder.read(version)) : undefined;
      if (!file || file === 'damaged') throw new Failure(file ? 'data-corrupted' : 'not-found');
      return file;
    },
    async offer(damaged) {
      let isDamaged = damaged;
      for (const version of await list()) {
        const file = await reading(folder.read(version));
        if (file === 'damaged') isDamaged = true;
        else if (file) return { ...version, document: file.document, source: 'history', damaged: isDamaged };
      }
      if (isDamaged) throw new Failure('data-corrupted');
      return null;
    },
  };
}
