/**
 * The storyboard of this page and its right to write. One rule keeps everybody's text: a document is put in place of
 * what the page shows only while nothing here is unsaved; otherwise the reader is asked, and both stay in the history.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { AutoSave, AutoSaveErrorCode, AutoSaveSnapshot } from '../../../src/browser/autosave/index.ts';
import { AutoSaveError } from '../../../src/browser/autosave/index.ts';
import type { ProjectLock } from '../../../src/browser/project-lock/index.ts';
import { useAutoSave } from '../../../src/react/index.ts';
import { blankStoryboard, readStoryboard, type Storyboard } from './storyboard.ts';

export interface OpeningProblem {
  readonly code: AutoSaveErrorCode;
  /** The version that is shown instead was saved then. */
  readonly shownTime?: number;
}

export interface EditedStoryboard {
  readonly board: Storyboard;
  readonly snapshot: AutoSaveSnapshot;
  readonly autosave: AutoSave<Storyboard> | null;
  /** What was saved before is on the page. */
  readonly isOpen: boolean;
  readonly canWrite: boolean;
  /** The last document that this page saved or was given; what differs from it is nowhere else. */
  readonly savedBoard: Storyboard;
  /** There is unsaved text here, and a newer saved document that was not shown here. */
  readonly isConflict: boolean;
  readonly problem: OpeningProblem | undefined;
  /** Does nothing while this page may not write. */
  edit(change: (board: Storyboard) => Storyboard): void;
  /** Ends a conflict. The other one stays in the history. */
  settle(which: 'mine' | 'theirs'): Promise<void>;
}

/** A second tab is read-only at once instead of waiting for a tab that may stay open all day. */
export const quickAcquire = { maxWaitMs: 1_500, retryPolicy: { maxAttempts: 1 } } as const;
/** “When somebody says so”: longer than any page lives, and short enough for a timer. */
const neverMs = 2_000_000_000;

export function useStoryboard(lock: ProjectLock, isAutomatic: boolean): EditedStoryboard {
  const [board, setBoard] = useState<Storyboard>(blankStoryboard);
  const [savedBoard, setSavedBoard] = useState<Storyboard>(blankStoryboard);
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState<OpeningProblem>();
  const [loads, setLoads] = useState(0);
  const loading = useRef(Promise.resolve());
  const { snapshot, autosave, accept } = useAutoSave(board, {
    lock,
    acquire: quickAcquire,
    ...(isAutomatic ? {} : { idleMs: neverMs, maxUnsavedMs: neverMs }),
  });
  const shown = useRef(board);
  useEffect(() => {
    shown.current = board;
  }, [board]);

  /** Puts a saved document in place. */
  const show = useCallback(
    (document: unknown): void => {
      const next = readStoryboard(document);
      accept(next);
      setBoard(next);
      setSavedBoard(next);
    },
    [accept],
  );

  useEffect(() => {
    if (!autosave) return;
    let isGone = false;
    autosave.restorePrompt().then(
      (offer) => {
        if (isGone) return;
        if (offer) show(offer.document);
        if (offer?.damaged) setProblem({ code: 'data-corrupted', shownTime: offer.time });
        setOpen(true);
      },
      (error: unknown) => {
        if (isGone) return;
        setProblem({ code: error instanceof AutoSaveError ? error.code : 'read-failed' });
        setOpen(true);
      },
    );
    // Told at the moment of each step, so that the document of a save is known when it is done.
    let saving = shown.current;
    const end = autosave.subscribe(() => {
      const { phase } = autosave.snapshot();
      if (phase === 'writing-current') saving = shown.current;
      if (phase === 'updating-index') setSavedBoard(saving);
    });
    return () => {
      isGone = true;
      end();
    };
  }, [autosave, show]);

  const { phase, unsaved, unread, elsewhere } = snapshot;
  // A page that only reads follows the one that writes; a page that begins to write reads first.
  const news = isOpen && !unsaved ? (phase === 'readonly' ? elsewhere : unread) : undefined;
  useEffect(() => {
    if (!autosave || !news) return;
    setLoads((count) => count + 1);
    // One after the other, and each to its end, whatever changes meanwhile: what was read counts as read, so it must
    // be shown. Nobody can write here until it is.
    loading.current = loading.current
      .then(() => autosave.restoreFromCurrent())
      .then(show)
      // It is told by the snapshot, and the next save tells of itself again.
      .catch(() => undefined)
      .finally(() => setLoads((count) => count - 1));
  }, [autosave, news, show]);

  const holds = !['disabled', 'awaiting-lock', 'readonly'].includes(phase);
  const canWrite = isOpen && holds && !unread && loads === 0;
  const edit = useCallback(
    (change: (board: Storyboard) => Storyboard) => {
      if (canWrite) setBoard(change);
    },
    [canWrite],
  );
  const settle = useCallback(
    async (which: 'mine' | 'theirs') => {
      if (!autosave) return;
      const theirs = which === 'theirs' ? await autosave.restoreFromCurrent() : undefined;
      await autosave.flushNow();
      // Not as a saved one: it is to be the newest version again.
      if (theirs) setBoard(readStoryboard(theirs));
    },
    [autosave],
  );
  useLeaveWarning(unsaved);
  return {
    board,
    snapshot,
    autosave,
    isOpen,
    canWrite,
    savedBoard,
    isConflict: isOpen && holds && unsaved && unread !== undefined,
    problem,
    edit,
    settle,
  };
}

/** The browser asks before a page with unsaved text is closed. */
function useLeaveWarning(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return;
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isUnsaved]);
}
