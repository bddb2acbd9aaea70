/** A browser of doubles, on virtual time, for the unit tests of AutoSave: the lock is the real one. */
import { afterEach, expect } from 'vitest';
import type { AutoSave, AutoSaveOptions, AutoSaveSnapshot } from '../../../src/browser/autosave/auto-save.ts';
import { initAutoSave } from '../../../src/browser/autosave/init-auto-save.ts';
import { createProjectLock } from '../../../src/browser/project-lock/create-project-lock.ts';
import type { Channel } from '../../../src/browser/project-lock/ports.ts';
import type { ProjectLock } from '../../../src/browser/project-lock/project-lock.ts';
import {
  type FakeClock,
  fakeClock,
  type InMemoryOpfs,
  inMemoryOpfs,
  mockNavigatorLocks,
} from '../../../src/testing/index.ts';

export const currentPath = 'project/autosave/current.json';

/** Tabs share files, Web Locks, channels and the clock; each has a lock of its own. */
export interface DoubleBrowser {
  readonly opfs: InMemoryOpfs;
  readonly clock: FakeClock;
  openTab(text: string, options?: AutoSaveOptions): DoubleBrowserTab;
  /** Another tab's lock. `strange`: one that shares nothing but the files, and is heard of by nobody. */
  newLock(strange?: boolean): ProjectLock;
}

export interface DoubleBrowserTab {
  readonly autosave: AutoSave<string>;
  readonly lock: ProjectLock;
  /** What the page shows. */
  text: string;
  type(text: string): void;
  /** The page is hidden, or left. */
  leave(type: 'pagehide' | 'visibilitychange'): void;
}

const locks: ProjectLock[] = [];
afterEach(() => {
  for (const lock of locks.splice(0)) lock.close();
});

export function doubleBrowser(): DoubleBrowser {
  const opfs = inMemoryOpfs();
  const clock = fakeClock();
  const webLocks = mockNavigatorLocks();
  const lockBus = channels();
  const saveBus = channels();
  const newLock = (strange = false): ProjectLock => {
    const parts = strange ? { locks: null, channel: null } : { locks: webLocks, channel: lockBus() };
    const lock = createProjectLock({ files: opfs.open, clock, ...parts });
    locks.push(lock);
    return lock;
  };
  return {
    opfs,
    clock,
    newLock,
    openTab(text, options = {}) {
      const lock = options.lock ?? newLock();
      const page = new EventTarget();
      const autosave = initAutoSave(() => tab.text, {
        lock,
        files: opfs.open,
        clock,
        channel: saveBus(),
        page,
        ...options,
      });
      const tab: DoubleBrowserTab = {
        autosave,
        lock,
        text,
        type(added) {
          tab.text += added;
          autosave.markChanged();
        },
        leave(type) {
          page.dispatchEvent(new Event(type));
        },
      };
      return tab;
    },
  };
}

/** Channels of one name, as tabs have them. */
function channels(): () => Channel {
  const all = new Set<(data: unknown) => void>();
  return () => {
    const own = new Set<(data: unknown) => void>();
    return {
      postMessage(data) {
        for (const hear of all) if (!own.has(hear)) hear(structuredClone(data));
      },
      addEventListener(_, listener) {
        const hear = (data: unknown): void => listener({ data });
        own.add(hear);
        all.add(hear);
      },
      close() {
        for (const hear of own) all.delete(hear);
      },
    };
  };
}

/** Resolves with the first snapshot, from now on, of which `is` is true. */
export function until(
  { autosave }: DoubleBrowserTab,
  is: (snapshot: AutoSaveSnapshot) => boolean,
): Promise<AutoSaveSnapshot> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!is(autosave.snapshot())) return;
      stop();
      resolve(autosave.snapshot());
    };
    const stop = autosave.subscribe(look);
    look();
  });
}

export const open = (tab: DoubleBrowserTab): Promise<AutoSaveSnapshot> => until(tab, ({ phase }) => phase === 'idle');
export const saved = (tab: DoubleBrowserTab): Promise<AutoSaveSnapshot> => until(tab, ({ unsaved }) => !unsaved);
export const savedText = (opfs: InMemoryOpfs): unknown => JSON.parse(opfs.read(currentPath) ?? 'null')?.document;

/** A project whose current document is `text`. */
export async function projectWith(text: string): Promise<DoubleBrowser> {
  const chrome = doubleBrowser();
  const tab = chrome.openTab('');
  await open(tab);
  tab.type(text);
  await tab.autosave.dispose();
  expect(savedText(chrome.opfs)).toBe(text);
  return chrome;
}
