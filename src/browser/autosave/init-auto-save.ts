/**
 * AutoSave of one document under the project lock.
 *
 * The tab holds the lock from `initAutoSave` to `dispose`. A change is saved `idleMs` after the last one and at the
 * latest `maxUnsavedMs` after the first; a page that is hidden or left saves at once. Each save names its lease: a tab
 * that lost the right is refused inside the record's mutex, goes read-only, and keeps its text. Whatever this tab has
 * not read is not saved over: it first wants `restorePrompt`, a restore, or an explicit `flushNow`.
 * Left is read-only by a new acquire or take-over of the lock, which AutoSave hears of.
 */
import type { Timer } from '../../core/ports.ts';
import { platform } from '../../platform/browser.ts';
import { defaultProjectLock } from '../project-lock/default-project-lock.ts';
import type { ProjectLockLease } from '../project-lock/project-lock-lease.ts';
import type { AutoSave, AutoSaveOptions, AutoSaveSnapshot } from './auto-save.ts';
import { AutoSaveError, type AutoSaveErrorCode } from './auto-save-error.ts';
import { autoSaveFolder, isNamed } from './auto-save-folder.ts';
import { type AutoSaveFact, nextPhase } from './auto-save-phase.ts';
import { byAge } from './generation-name.ts';
import { planShrink } from './plan-history.ts';
import type { AutoSaveChannel, AutoSaveDirectory, PageEvents } from './ports.ts';
import { planNextStep } from './save-schedule.ts';
import type { SavedFile, SavedVersion } from './saved-file.ts';

export function initAutoSave<T>(getDocument: () => T, options: AutoSaveOptions = {}): AutoSave<T> {
  const {
    lock = defaultProjectLock(),
    debounceMs = 500,
    idleMs = 2000,
    maxUnsavedMs = 5000,
    maxGenerations = 20,
    maxBytes = 50 * 1024 * 1024,
    files = () => navigator.storage.getDirectory() as unknown as Promise<AutoSaveDirectory>,
    channel = openChannel(),
    page = ownPage(),
    clock = platform.clock,
  } = options;
  const folder = autoSaveFolder(files, platform.sha256);
  const limits = { maxGenerations, maxBytes };
  const listeners = new Set<() => void>();
  const stop = new AbortController();
  let state: AutoSaveSnapshot = { phase: 'awaiting-lock', unsaved: false, generations: 0, bytes: 0 };
  let lease: ProjectLockLease | undefined;
  /** What is kept; undefined: not known, `recover` comes first. */
  let generations: readonly SavedVersion[] | undefined;
  let damaged = false;
  /** The saved version that this tab has read or written. */
  let base: Omit<SavedVersion, 'bytes'> | undefined;
  let seq = 0;
  let asked = false;
  let asking: Promise<unknown> | undefined;
  let firstChangeMs: number | undefined;
  let lastChangeMs = 0;
  let failedMs: number | undefined;
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  let disposing: Promise<void> | undefined;

  // ------------------------------------------------------------------------------------------------- telling
  const tell = (change: Partial<AutoSaveSnapshot>): void => {
    const next = { ...state, ...change };
    if ((Object.keys(next) as (keyof AutoSaveSnapshot)[]).every((key) => next[key] === state[key])) return;
    state = next;
    for (const listener of [...listeners]) {
      try {
        listener();
      } catch {
        // A listener that throws harms nobody.
      }
    }
  };
  const on = (fact: AutoSaveFact, change: Partial<AutoSaveSnapshot> = {}): void =>
    tell({
      ...change,
      unsaved: firstChangeMs !== undefined || running !== undefined,
      phase: nextPhase(state.phase, fact),
    });
  const post = (kind: string, fields: object): void => channel?.postMessage({ kind, ...fields });
  const known = (list: readonly SavedVersion[]): Partial<AutoSaveSnapshot> => {
    generations = list;
    return { generations: list.length, bytes: list.reduce((sum, { bytes }) => sum + bytes, 0) };
  };
  const lose = (reason: NonNullable<AutoSaveSnapshot['readonly']>): void => {
    lease = undefined;
    timer?.cancel();
    if (state.phase === 'readonly' && state.readonly === reason) return;
    on('lost', { readonly: reason });
    post('readonly', { reason });
  };
  const untilOpen = (): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (state.phase === 'awaiting-lock') return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      look();
    });

  // ------------------------------------------------------------------------------------------------- the right
  const recover = async (held: ProjectLockLease): Promise<void> => {
    const found = await folder.recover(held.token, limits, (work) => lock.commit(held, work));
    const saved = found.current && versionOf(found.current);
    damaged = found.damaged;
    const isRead = !saved || (base !== undefined && byAge({ ...base, bytes: 0 }, saved) === 0);
    tell({ ...known(found.generations), saved, unread: isRead ? undefined : saved });
  };
  const adopt = async (granted: ProjectLockLease): Promise<void> => {
    generations = undefined;
    seq = 0;
    on('asked', { readonly: undefined, error: undefined });
    try {
      await recover(granted);
      on('granted');
      if (damaged) throw failure('data-corrupted', 'current.json does not fit its checksum. Call restorePrompt().');
    } catch (error) {
      fail(error);
    }
    arm();
  };
  const fail = (cause: unknown): AutoSaveError => {
    const error = cause instanceof AutoSaveError ? cause : explain(cause, lease);
    if (error.code !== 'readonly') on('failed', { error });
    return error;
  };
  /** The lock's state, whoever changed it. */
  const follow = (): void => {
    const { state: now, lease: held, readonly } = lock.snapshot();
    if (held && now !== 'releasing') {
      const isNew = lease?.leaseId !== held.leaseId;
      lease = held;
      if (isNew) void adopt(held);
    } else if (!asked && (now === 'idle' || readonly)) {
      asked = true;
      // Its failure is told by the state.
      asking = lock.acquireProjectLock({ ...options.acquire, signal: stop.signal }).catch(() => {});
    } else if (now === 'acquiring') on('asked');
    else if (asked) lose(readonly?.reason ?? state.readonly ?? 'released');
  };

  // ------------------------------------------------------------------------------------------------- saving
  const write = async (held: ProjectLockLease): Promise<void> => {
    if (!generations) await recover(held);
    if (state.unread)
      throw failure('unread', 'A saved document is there that this tab has not read: restorePrompt() or flushNow().');
    const json = asJson(getDocument);
    const first = firstChangeMs;
    firstChangeMs = undefined;
    let committed: SavedVersion | undefined;
    on('saving', { error: undefined });
    for (;;) {
      try {
        const kept = await folder.save({
          token: held.token,
          seq: ++seq,
          time: clock.wallMs(),
          json,
          generations: generations ?? [],
          limits,
          keepDamaged: damaged,
          commit: (work) => lock.commit(held, work),
          onCommitted(version) {
            committed = base = version;
            damaged = false;
            on('committed', { saved: version });
            const { token, seq, time } = version;
            post('saved', { token, seq, time });
          },
          onSurplus: () => on('surplus'),
        });
        tell(known(kept));
        return;
      } catch (error) {
        const plan = planShrink(generations ?? []);
        if (!committed && isNamed(error, 'QuotaExceededError') && plan.drop.length > 0) {
          await folder.drop(plan, (work) => lock.commit(held, work));
          tell(known(plan.keep));
          continue;
        }
        // Saved, but the history may lag behind: look before the next save.
        if (committed) generations = undefined;
        else firstChangeMs = first ?? lastChangeMs;
        throw error;
      }
    }
  };
  const save = (): Promise<void> => {
    const attempt = async (): Promise<void> => {
      // The check before any write; it may find that the right is gone.
      if (!lease || !lock.isHeld(lease)) throw new Error('The lease is not in force.');
      await write(lease);
    };
    const end = (failedAtMs: number | undefined): void => {
      running = undefined;
      failedMs = failedAtMs;
    };
    const goOn = (): void => {
      if (firstChangeMs !== undefined) on('changed');
      arm();
    };
    timer?.cancel();
    // Not at once: what the attempt tells must find it running.
    running ??= Promise.resolve()
      .then(attempt)
      .then(
        () => {
          end(undefined);
          on('saved');
          goOn();
        },
        (cause) => {
          end(clock.monotonicMs());
          const error = fail(cause);
          goOn();
          throw error;
        },
      );
    return running;
  };
  /** Saves what may be saved without asking. */
  const flushPending = async (): Promise<void> => {
    while (running) await running.catch(() => {});
    if (firstChangeMs !== undefined && lease && !state.unread) await save();
  };
  const arm = (): void => {
    timer?.cancel();
    if (running || !lease || state.phase === 'awaiting-lock' || stop.signal.aborted) return;
    const next = planNextStep(
      { firstChangeMs, lastChangeMs, failedMs },
      { debounceMs, idleMs, maxUnsavedMs },
      state.phase !== 'debouncing',
    );
    if (!next) return;
    const waitMs = next.atMs - clock.monotonicMs();
    if (waitMs > 0) timer = clock.after(waitMs, arm);
    else if (next.step === 'save') save().catch(() => {});
    else {
      on('settled');
      arm();
    }
  };

  // ------------------------------------------------------------------------------------------------- restoring
  const markRead = (version: Omit<SavedVersion, 'bytes'> | undefined = state.unread ?? base): void => {
    base = version;
    tell({ unread: undefined });
  };
  const listHistory = async (): Promise<readonly SavedVersion[]> => [...(await folder.list())].reverse();
  const load = async (version?: SavedVersion): Promise<SavedFile> => {
    let file: SavedFile | 'damaged' | undefined;
    try {
      file = await folder.read(version);
    } catch (cause) {
      throw failure('read-failed', 'The saved file could not be read. Try again.', cause);
    }
    if (file === 'damaged')
      throw failure('data-corrupted', 'The saved file does not fit its checksum. Nothing was deleted.');
    if (!file) throw failure('not-found', 'Nothing is saved there.');
    return file;
  };

  // ------------------------------------------------------------------------------------------------- hearing
  lock.onTakeOverRequest(flushPending);
  channel?.addEventListener('message', ({ data }) => {
    const { kind, token, seq, time } = Object(data) as SavedVersion & { readonly kind?: string };
    if (kind === 'saved') tell({ elsewhere: { token, seq, time } });
  });
  const onLeave = (): void => void flushPending().catch(() => {});
  const onVisibility = (): void => {
    if (page?.document?.visibilityState === 'hidden') onLeave();
  };
  page?.addEventListener('pagehide', onLeave);
  page?.addEventListener('visibilitychange', onVisibility);
  const unfollow = lock.subscribe(follow);
  follow();

  return {
    markChanged() {
      lastChangeMs = clock.monotonicMs();
      firstChangeMs ??= lastChangeMs;
      if (state.phase === 'debouncing' && timer) return;
      on('changed');
      arm();
    },
    async flushNow() {
      await untilOpen();
      while (running) await running.catch(() => {});
      if (stop.signal.aborted) throw failure('disabled', 'This AutoSave was disposed of.');
      const { unread } = state;
      if (unread) markRead();
      if (unread || firstChangeMs !== undefined || !lease) await save();
    },
    dispose() {
      disposing ??= (async () => {
        await flushPending().catch(() => {});
        stop.abort();
        unfollow();
        lock.onTakeOverRequest(undefined);
        page?.removeEventListener('pagehide', onLeave);
        page?.removeEventListener('visibilitychange', onVisibility);
        timer?.cancel();
        channel?.close();
        lease = undefined;
        on('disposed');
        // A grant may have come at the last moment.
        await asking;
        const { lease: held } = lock.snapshot();
        if (held) await lock.releaseProjectLock({ lease: held }).catch(() => {});
      })();
      return disposing;
    },
    snapshot: () => state,
    subscribe(onChange) {
      const listener = (): void => onChange();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    listHistory,
    async restorePrompt() {
      await untilOpen();
      const isDamaged = (error: AutoSaveError): undefined => {
        if (error.code !== 'data-corrupted' && error.code !== 'not-found') throw error;
        lastError = error;
      };
      let lastError: AutoSaveError | undefined;
      const offer = (file: SavedFile, source: 'current' | 'history') => ({
        ...file,
        document: file.document as T,
        source,
        damaged: lastError?.code === 'data-corrupted',
      });
      const current = await load().catch(isDamaged);
      if (current) {
        markRead(current);
        return JSON.stringify(current.document) === JSON.stringify(getDocument()) ? null : offer(current, 'current');
      }
      const missing = lastError;
      for (const version of await listHistory()) {
        const file = await load(version).catch(isDamaged);
        if (file) {
          markRead();
          lastError = missing;
          return offer(file, 'history');
        }
      }
      if (lastError?.code === 'data-corrupted') throw lastError;
      return null;
    },
    async restoreFrom(time) {
      const file = await load((await listHistory()).find((version) => version.time === time) ?? nothing);
      markRead();
      return file.document as T;
    },
    async restoreFromCurrent() {
      await untilOpen();
      const file = await load();
      markRead(file);
      return file.document as T;
    },
  };
}

/** No file is named after it. */
const nothing: SavedVersion = { token: 0, seq: 0, time: 0, bytes: 0 };

function failure(code: AutoSaveErrorCode, message: string, cause?: unknown): AutoSaveError {
  return new AutoSaveError(message, { code, cause });
}

/** Without a lease the lock has said that the right is gone; anything else may be tried again. */
function explain(cause: unknown, lease: ProjectLockLease | undefined): AutoSaveError {
  if (!lease) return failure('readonly', 'This tab may not write. The text is kept in the page.', cause);
  return isNamed(cause, 'QuotaExceededError')
    ? failure(
        'quota-exceeded',
        'Storage is full, and old versions were not enough. Free space or copy the text.',
        cause,
      )
    : failure('write-failed', 'The document could not be written. It is tried again.', cause);
}

function asJson(getDocument: () => unknown): string {
  let json: string | undefined;
  let cause: unknown;
  try {
    json = JSON.stringify(getDocument());
  } catch (error) {
    cause = error;
  }
  if (json === undefined) throw failure('invalid-document', 'getDocument must return what JSON can say.', cause);
  return json;
}

function versionOf({ token, seq, time, bytes }: SavedVersion): SavedVersion {
  return { token, seq, time, bytes };
}

function openChannel(): AutoSaveChannel | null {
  return typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('kannuki:autosave');
}

function ownPage(): PageEvents | null {
  return typeof document === 'undefined' ? null : window;
}
