/**
 * AutoSave of one document under the project lock.
 *
 * The tab holds the lock from `initAutoSave` to `dispose`. A change is saved `idleMs` after the last one and at the
 * latest `maxUnsavedMs` after the first; a page that is hidden or left saves at once. Each save names its lease: a tab
 * that lost the right is refused inside the record's mutex, goes read-only, and keeps its text. Whatever this tab has
 * not read is not saved over: it first wants `restorePrompt`, a restore, or an explicit `flushNow`.
 * Read-only is left by a new acquire or take-over of the lock; AutoSave follows the lock's state.
 */
import type { Timer } from '../../core/ports.ts';
import { clock as browserClock, sha256 } from '../../platform/browser.ts';
import { browserTabLock } from '../project-lock/browser-tab-lock.ts';
import { createListeners } from '../project-lock/listeners.ts';
import type { SaveLock } from '../project-lock/project-lock.ts';
import type { ProjectLockLease } from '../project-lock/project-lock-lease.ts';
import { saveLockOf } from '../project-lock/save-lock-of.ts';
import type { AutoSave, AutoSaveOptions, AutoSaveSnapshot, RestoreOffer } from './auto-save.ts';
import { AutoSaveError } from './auto-save-error.ts';
import { autoSaveFolder, isNamed, type LoadedFile } from './auto-save-folder.ts';
import { type AutoSavePhase, nextPhase } from './auto-save-phase.ts';
import { byAge } from './generation-name.ts';
import type { AutoSaveDirectory } from './ports.ts';
import { type SavedFile, type SavedVersion, versionOf } from './saved-file.ts';
import type { SavedHistory } from './saved-history.ts';
import { scheduleSave } from './schedule-save.ts';

export function initAutoSave<T>(getDocument: () => T, options: AutoSaveOptions = {}): AutoSave<T> {
  const {
    debounceMs = 500,
    idleMs = 2000,
    maxUnsavedMs = 5000,
    maxGenerations = 20,
    maxBytes = 50 * 1024 * 1024,
    files = () => navigator.storage.getDirectory() as unknown as Promise<AutoSaveDirectory>,
    channel = globalThis.BroadcastChannel ? new BroadcastChannel('kannuki:autosave') : null,
    page = globalThis.window,
    clock = browserClock,
  } = options;
  const lock: SaveLock = options.lock ?? saveLockOf(browserTabLock());
  const folder = autoSaveFolder(files, sha256, { maxGenerations, maxBytes }, lock.commit);
  const listeners = createListeners();
  const stop = new AbortController();
  const { signal } = stop;
  let state: AutoSaveSnapshot = { phase: 'awaiting-lock', unsaved: false, generations: 0, bytes: 0 };
  let lease: ProjectLockLease | undefined;
  /** The saved version that this tab has read or written. */
  let base: SavedVersion | undefined;
  let seq = 0;
  let firstChangeMs: number | undefined;
  let lastChangeMs = 0;
  let failedMs: number | undefined;
  let timer: Timer | undefined;
  /** Once the lock was asked for: what it comes to. */
  let asking: unknown;
  let running: Promise<void> | undefined;
  let disposing: Promise<void> | undefined;

  const tell = (phase: AutoSavePhase, change: Partial<AutoSaveSnapshot> = {}): void => {
    const { kept } = folder;
    state = {
      ...state,
      ...(kept && { generations: kept.length, bytes: kept.reduce((sum, { bytes }) => sum + bytes, 0) }),
      ...change,
      phase: nextPhase(state.phase, phase),
      unsaved: !!running || firstChangeMs !== undefined,
    };
    listeners.tell();
  };
  const untilOpen = async (): Promise<void> => {
    while (state.phase === 'awaiting-lock') {
      await new Promise<void>((resolve) => {
        const end = listeners.add(() => {
          end();
          resolve();
        });
      });
    }
  };

  // ------------------------------------------------------------------------------------------------- the right
  /** The lock's state, whoever changed it. */
  const follow = (): void => {
    const { state: now, lease: held, readonly } = lock.snapshot();
    if (held && now !== 'releasing') {
      const isNew = lease?.leaseId !== held.leaseId;
      lease = held;
      if (isNew) void adopt(held);
    } else if (!asking && (now === 'idle' || readonly)) {
      asking = true;
      // Its failure is told by the state.
      asking = lock.acquireProjectLock({ ...options.acquire, signal }).catch(() => {});
    } else if (now === 'acquiring') tell('awaiting-lock');
    else if (asking) {
      lease = undefined;
      tell('readonly', { readonly: readonly?.reason ?? state.readonly ?? 'released' });
    }
  };
  const adopt = async (granted: ProjectLockLease): Promise<void> => {
    folder.kept = undefined;
    seq = 0;
    tell('awaiting-lock', { readonly: undefined, error: undefined });
    try {
      if ((await recover(granted)) === 'damaged') throw new AutoSaveError('data-corrupted');
      tell('idle');
    } catch (error) {
      fail(error);
    }
    goOn();
  };
  const recover = async (held: ProjectLockLease): Promise<LoadedFile> => {
    const file = await folder.recover(held);
    const saved = file && file !== 'damaged' ? versionOf(file) : undefined;
    tell(state.phase, { saved, unread: saved && (!base || byAge(base, saved)) ? saved : undefined });
    return file;
  };
  /** Without a lease the lock has said that the right is gone; anything else may be tried again. */
  const fail = (cause: unknown): AutoSaveError => {
    const error =
      cause instanceof AutoSaveError
        ? cause
        : new AutoSaveError(
            !lease ? 'readonly' : isNamed(cause, 'QuotaExceededError') ? 'quota-exceeded' : 'write-failed',
            cause,
          );
    if (lease) tell('error', { error });
    return error;
  };

  // ------------------------------------------------------------------------------------------------- saving
  const write = async (): Promise<void> => {
    // The check before any write; it may find that the right is gone.
    if (!lease || !lock.isHeld(lease)) throw undefined;
    const held = lease;
    if (!folder.kept) await recover(held);
    if (state.unread) throw new AutoSaveError('unread');
    let json: string | undefined;
    try {
      json = JSON.stringify(getDocument());
      if (json === undefined) throw json;
    } catch (cause) {
      throw new AutoSaveError('invalid-document', cause);
    }
    const first = firstChangeMs;
    let isSaved = false;
    firstChangeMs = undefined;
    tell('writing-current', { error: undefined });
    try {
      const name = { token: held.token, seq: ++seq, time: clock.wallMs() };
      await folder.save(held, name, json, (step, saved) => {
        if (!isSaved) channel?.postMessage(saved);
        isSaved = true;
        base = saved;
        tell(step, { saved });
      });
    } catch (error) {
      if (!isSaved) firstChangeMs = first ?? lastChangeMs;
      throw error;
    }
  };
  const save = (): Promise<void> => {
    // Not at once: what it tells must find it running.
    running ??= Promise.resolve()
      .then(write)
      .then(
        () => {
          running = failedMs = undefined;
          tell('idle');
        },
        (cause) => {
          running = undefined;
          failedMs = clock.monotonicMs();
          throw fail(cause);
        },
      )
      .finally(goOn);
    return running;
  };
  const untilQuiet = async (): Promise<void> => {
    while (running) await running.catch(() => {});
  };
  /** Saves what may be saved without asking. */
  const flushPending = async (): Promise<void> => {
    await untilQuiet();
    if (firstChangeMs !== undefined && lease && !state.unread) await save().catch(() => {});
  };
  const goOn = (): void => {
    if (firstChangeMs !== undefined) tell('debouncing');
    arm();
  };
  const arm = (): void => {
    timer?.cancel();
    if (running || !lease || state.phase === 'awaiting-lock' || signal.aborted) return;
    const dueMs = scheduleSave({ firstChangeMs, lastChangeMs, failedMs }, { debounceMs, idleMs, maxUnsavedMs });
    if (dueMs === undefined) return;
    const waitMs = dueMs - clock.monotonicMs();
    if (waitMs > 0) timer = clock.after(waitMs, arm);
    else save().catch(() => {});
  };

  // ------------------------------------------------------------------------------------------------- restoring
  const markRead = (version: SavedVersion | undefined): void => {
    base = version ?? state.unread ?? base;
    tell(state.phase, { unread: undefined });
  };
  const history = async (): Promise<SavedHistory> => {
    try {
      return (await import('./saved-history.ts')).savedHistory(folder, AutoSaveError);
    } catch (cause) {
      throw new AutoSaveError('read-failed', cause);
    }
  };
  const preview = async (time?: number): Promise<SavedFile> => (await history()).read(time);
  const restore = async (time?: number): Promise<T> => {
    const file = await preview(time);
    markRead(time === undefined ? versionOf(file) : undefined);
    return file.document as T;
  };

  lock.onTakeOverRequest(flushPending);
  channel?.addEventListener('message', ({ data }) => {
    tell(state.phase, { elsewhere: data as SavedVersion });
  });
  page?.addEventListener('pagehide', flushPending, { signal });
  page?.addEventListener('visibilitychange', flushPending, { signal });
  const unfollow = lock.subscribe(follow);
  follow();

  return {
    markChanged() {
      lastChangeMs = clock.monotonicMs();
      firstChangeMs ??= lastChangeMs;
      if (state.phase !== 'debouncing') goOn();
    },
    async flushNow() {
      await untilOpen();
      await untilQuiet();
      if (signal.aborted) throw new AutoSaveError('disabled');
      const { unread } = state;
      if (unread) markRead(unread);
      if (unread || firstChangeMs !== undefined || !lease) await save();
    },
    dispose() {
      disposing ??= (async () => {
        await flushPending();
        stop.abort();
        unfollow();
        lock.onTakeOverRequest(undefined);
        timer?.cancel();
        channel?.close();
        lease = undefined;
        tell('disabled');
        // A grant may have come at the last moment.
        await asking;
        const { lease: held } = lock.snapshot();
        if (held) await lock.releaseProjectLock({ lease: held }).catch(() => {});
      })();
      return disposing;
    },
    snapshot: () => state,
    subscribe: listeners.add,
    listHistory: async () => (await history()).list(),
    async restorePrompt() {
      await untilOpen();
      const file = await folder.read().catch((cause) => {
        throw new AutoSaveError('read-failed', cause);
      });
      if (file && file !== 'damaged') {
        const version = versionOf(file);
        const document = file.document as T;
        markRead(version);
        const isSame = JSON.stringify(document) === JSON.stringify(getDocument());
        return isSame ? null : { ...version, document, source: 'current', damaged: false };
      }
      // A project that has just begun has no history either.
      if (!file && folder.kept?.length === 0) return null;
      const offer = (await (await history()).offer(!!file)) as RestoreOffer<T> | null;
      if (offer) markRead(undefined);
      return offer;
    },
    restoreFrom: restore,
    previewFrom: async (time) => (await preview(time)).document as T,
    async restoreFromCurrent() {
      await untilOpen();
      return restore();
    },
  };
}
