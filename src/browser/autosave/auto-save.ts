/** The shape of AutoSave: what a page calls, and what it is told. */
import type { Clock } from '../../core/ports.ts';
import type { ProjectLock, ProjectLockAcquireOptions } from '../project-lock/project-lock.ts';
import type { ReadonlyReason } from '../project-lock/project-lock-event.ts';
import type { AutoSaveError } from './auto-save-error.ts';
import type { AutoSavePhase } from './auto-save-phase.ts';
import type { AutoSaveChannel, OpenAutoSaveFiles, PageEvents } from './ports.ts';
import type { SavedVersion } from './saved-file.ts';

export interface AutoSaveOptions {
  /** @default the project lock of this page */
  readonly lock?: ProjectLock;
  /** How the lock is asked for. */
  readonly acquire?: Omit<ProjectLockAcquireOptions, 'signal'>;
  /** Changes closer together than this are one burst; no save starts inside it before `maxUnsavedMs`. From 0. @default 500 */
  readonly debounceMs?: number;
  /** A save starts so long after the last change. From 0. @default 2000 */
  readonly idleMs?: number;
  /** … and at the latest so long after the first unsaved one, also while typing goes on. From 1. @default 5000 */
  readonly maxUnsavedMs?: number;
  /** Earlier versions that are kept. From 0. @default 20 */
  readonly maxGenerations?: number;
  /** `current.json` and the earlier versions together. @default 50 MB (52,428,800) */
  readonly maxBytes?: number;
  /** @default the origin private file system */
  readonly files?: OpenAutoSaveFiles;
  /** @default a BroadcastChannel `kannuki:autosave`; `null`: other tabs are neither told nor heard */
  readonly channel?: AutoSaveChannel | null;
  /** @default the window; `null`: nothing is heard of the page's life */
  readonly page?: PageEvents | null;
  readonly clock?: Clock;
}

/** The same object until subscribers are told of the next: fit for `useSyncExternalStore`. */
export interface AutoSaveSnapshot {
  readonly phase: AutoSavePhase;
  /** There is text that no file has. */
  readonly unsaved: boolean;
  /** What `current.json` holds, as far as this tab knows. */
  readonly saved?: SavedVersion | undefined;
  /** How many earlier versions are kept, and their bytes. */
  readonly generations: number;
  readonly bytes: number;
  /** Why this tab may only read. `released`: it handed the right over when another tab asked. */
  readonly readonly?: ReadonlyReason | 'released' | undefined;
  /** Why the last save or the opening failed. */
  readonly error?: AutoSaveError | undefined;
  /** A saved document that this tab has not read. Nothing is saved over it until it was, or until `flushNow`. */
  readonly unread?: SavedVersion | undefined;
  /** The last save that another tab told of. */
  readonly elsewhere?: SavedVersion | undefined;
}

export interface RestoreOffer<T> extends SavedVersion {
  readonly source: 'current' | 'history';
  /** Something newer, `current.json` perhaps, does not prove itself. */
  readonly damaged: boolean;
  readonly document: T;
}

export interface AutoSave<T> {
  /** Say it after each change. Cheap: a few assignments. */
  markChanged(): void;
  /** Saves now. Resolves when everything up to this call is saved, rejects with `AutoSaveError`. */
  flushNow(): Promise<void>;
  /** Saves what is unsaved if it can, gives the lock back, ends. Never rejects. */
  dispose(): Promise<void>;
  snapshot(): AutoSaveSnapshot;
  /** Called after each change of the snapshot. Returns what ends it. */
  subscribe(onChange: () => void): () => void;
  /** Newest first. Also without the lock. */
  listHistory(): Promise<readonly SavedVersion[]>;
  /**
   * What a page asks first: is something saved that differs from its document? `null`: no. A damaged `current.json`
   * gives the newest generation that proves itself; `data-corrupted` when there is none.
   */
  restorePrompt(): Promise<RestoreOffer<T> | null>;
  /** The document saved at `time`. It is not written anywhere: put it into the page and call `markChanged`. */
  restoreFrom(time: number): Promise<T>;
  restoreFromCurrent(): Promise<T>;
  /** The document saved at `time`, to look at. Unlike a restore it does not count as read. Also without the lock. */
  previewFrom(time: number): Promise<T>;
}
