import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { AutoSave, AutoSaveOptions, AutoSaveSnapshot } from '../browser/autosave/auto-save.ts';
import { initAutoSave } from '../browser/autosave/init-auto-save.ts';

export interface UseAutoSave<T> {
  readonly snapshot: AutoSaveSnapshot;
  /** Null before the first effect, and so on a server. */
  readonly autosave: AutoSave<T> | null;
  /** Say it before a document that AutoSave gave is put in place: it is saved already. */
  readonly accept: (document: T) => void;
}

const notYet: AutoSaveSnapshot = { phase: 'disabled', unsaved: false, generations: 0, bytes: 0 };
const never = (): (() => void) => () => {};
const still = (): AutoSaveSnapshot => notYet;

/**
 * Saves `document` whenever it is another one than at the last render, and shows how that goes. Options are read once,
 * when the component mounts. Ask `autosave.restorePrompt()` first: what was saved before is not saved over unread.
 */
export function useAutoSave<T>(document: T, options?: AutoSaveOptions): UseAutoSave<T> {
  const latest = useRef(document);
  const first = useRef(options);
  const made = useRef<AutoSave<T> | null>(null);
  const [autosave, setAutoSave] = useState<AutoSave<T> | null>(null);

  useEffect(() => {
    const own = initAutoSave(() => latest.current, first.current);
    made.current = own;
    setAutoSave(own);
    return () => {
      made.current = null;
      // It saves what is unsaved, gives the lock back, and does not reject. A second mount waits for it.
      void own.dispose();
    };
  }, []);
  useEffect(() => {
    if (latest.current === document) return;
    latest.current = document;
    made.current?.markChanged();
  }, [document]);
  const accept = useCallback((saved: T) => {
    latest.current = saved;
  }, []);
  const snapshot = useSyncExternalStore(autosave?.subscribe ?? never, autosave?.snapshot ?? still, still);
  return { snapshot, autosave, accept };
}
