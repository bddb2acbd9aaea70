/** AutoSave over the real project lock, on a file system, Web Locks and a clock in memory. Tabs share all but the lock. */
import { afterEach, describe, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../../testing/fake-clock.ts';
import { type InMemoryOpfs, inMemoryOpfs } from '../../testing/in-memory-opfs.ts';
import { mockNavigatorLocks } from '../../testing/mock-navigator-locks.ts';
import { createProjectLock } from '../project-lock/create-project-lock.ts';
import type { Channel } from '../project-lock/ports.ts';
import type { ProjectLock } from '../project-lock/project-lock.ts';
import { takeOverProjectLock } from '../project-lock/take-over-project-lock.ts';
import type { AutoSave, AutoSaveOptions, AutoSaveSnapshot } from './auto-save.ts';
import { initAutoSave } from './init-auto-save.ts';

const current = 'project/autosave/current.json';

interface Browser {
  readonly opfs: InMemoryOpfs;
  readonly clock: FakeClock;
  openTab(text: string, options?: AutoSaveOptions): Tab;
  newLock(): ProjectLock;
}

interface Tab {
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

function browser(): Browser {
  const opfs = inMemoryOpfs();
  const clock = fakeClock();
  const webLocks = mockNavigatorLocks();
  const lockBus = channels();
  const saveBus = channels();
  const newLock = (): ProjectLock => {
    const lock = createProjectLock({ files: opfs.open, locks: webLocks, clock, channel: lockBus() });
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
      const tab: Tab = {
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
function until({ autosave }: Tab, is: (snapshot: AutoSaveSnapshot) => boolean): Promise<AutoSaveSnapshot> {
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

const open = (tab: Tab): Promise<AutoSaveSnapshot> => until(tab, ({ phase }) => phase === 'idle');
const saved = (tab: Tab): Promise<AutoSaveSnapshot> => until(tab, ({ unsaved }) => !unsaved);
const savedText = (opfs: InMemoryOpfs): unknown => JSON.parse(opfs.read(current) ?? 'null')?.document;

/** A project whose current document is `text`. */
async function projectWith(text: string): Promise<Browser> {
  const chrome = browser();
  const tab = chrome.openTab('');
  await open(tab);
  tab.type(text);
  await tab.autosave.dispose();
  expect(savedText(chrome.opfs)).toBe(text);
  return chrome;
}

describe('when it saves', () => {
  it('2 s after the last change, and tells its phases on the way', async () => {
    const { opfs, clock, openTab } = browser();
    const tab = openTab('');
    expect(tab.autosave.snapshot()).toEqual({ phase: 'awaiting-lock', unsaved: false, generations: 0, bytes: 0 });
    await open(tab);
    const phases: string[] = [];
    tab.autosave.subscribe(() => {
      const { phase } = tab.autosave.snapshot();
      if (phases.at(-1) !== phase) phases.push(phase);
    });
    tab.type('a');
    await clock.advance(1500);
    tab.type('b');
    await clock.advance(1999);
    expect(opfs.paths()).not.toContain(current);
    expect(tab.autosave.snapshot()).toMatchObject({ phase: 'debouncing', unsaved: true });
    await clock.advance(1);
    const snapshot = await saved(tab);
    expect(savedText(opfs)).toBe('ab');
    expect(snapshot).toMatchObject({ phase: 'idle', generations: 1, saved: { seq: 1 } });
    expect(phases).toEqual(['debouncing', 'writing-current', 'updating-index', 'idle']);
  });

  it('5 s after the first unsaved change although typing goes on', async () => {
    const { opfs, clock, openTab } = browser();
    const tab = openTab('');
    await open(tab);
    for (let letter = 0; letter < 25; letter++) {
      tab.type('x');
      await clock.advance(199);
    }
    expect(opfs.paths()).not.toContain(current);
    tab.type('x');
    await clock.advance(25);
    await until(tab, (snapshot) => snapshot.saved !== undefined);
    expect(savedText(opfs)).toBe('x'.repeat(26));
  });

  it.each(['pagehide', 'visibilitychange'] as const)('at once on %s', async (type) => {
    const { opfs, openTab } = browser();
    const tab = openTab('');
    await open(tab);
    tab.type('leaving');
    tab.leave(type);
    await saved(tab);
    expect(savedText(opfs)).toBe('leaving');
  });

  it('what was typed before the lock came', async () => {
    const { opfs, clock, openTab } = browser();
    const tab = openTab('');
    tab.type('early');
    await until(tab, ({ phase }) => phase !== 'awaiting-lock');
    await clock.advance(2000);
    await saved(tab);
    expect(savedText(opfs)).toBe('early');
  });

  it('what was typed during a save, in the next one', async () => {
    const { opfs, clock, openTab } = browser();
    const tab = openTab('');
    await open(tab);
    tab.type('one');
    const held = opfs.hold('move', '-c');
    const flushed = tab.autosave.flushNow();
    await held.reached;
    tab.type(' two');
    held.release();
    await flushed;
    expect(savedText(opfs)).toBe('one');
    expect(tab.autosave.snapshot()).toMatchObject({ phase: 'debouncing', unsaved: true });
    await clock.advance(2000);
    await saved(tab);
    expect(savedText(opfs)).toBe('one two');
  });

  it('drops the oldest of 21 generations and shows it', async () => {
    const { openTab } = browser();
    const tab = openTab('');
    await open(tab);
    const phases = new Set<string>();
    tab.autosave.subscribe(() => phases.add(tab.autosave.snapshot().phase));
    for (let round = 1; round <= 21; round++) {
      tab.type('x');
      await tab.autosave.flushNow();
    }
    expect(tab.autosave.snapshot()).toMatchObject({ generations: 20, saved: { seq: 21 } });
    expect(phases).toContain('gc');
    const history = await tab.autosave.listHistory();
    expect(history.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, at) => 21 - at));
  });
});

describe('flushNow', () => {
  it('saves once for two calls, and not at all when nothing changed', async () => {
    const { openTab } = browser();
    const tab = openTab('');
    await tab.autosave.flushNow();
    expect(tab.autosave.snapshot().saved).toBeUndefined();
    tab.type('a');
    await Promise.all([tab.autosave.flushNow(), tab.autosave.flushNow()]);
    expect(tab.autosave.snapshot().saved?.seq).toBe(1);
  });

  it('says what is wrong with a document that JSON cannot say', async () => {
    const { opfs, clock, newLock } = browser();
    const loop: { self?: unknown } = {};
    loop.self = loop;
    for (const document of [loop, undefined]) {
      const autosave = initAutoSave(() => document, { lock: newLock(), files: opfs.open, clock, channel: null });
      await autosave.flushNow();
      autosave.markChanged();
      await expect(autosave.flushNow()).rejects.toMatchObject({ code: 'invalid-document', retryable: false });
      expect(autosave.snapshot()).toMatchObject({ phase: 'error', unsaved: true });
      await autosave.dispose();
    }
  });
});

describe('one writer', () => {
  it('a second tab is read-only, keeps its text, and hears of saves at once', async () => {
    const { opfs, clock, openTab } = browser();
    const first = openTab('');
    await open(first);
    const second = openTab('mine', { acquire: { maxWaitMs: 10, retryPolicy: { maxAttempts: 1 } } });
    second.type('!');
    await clock.advance(10);
    expect(await until(second, ({ phase }) => phase === 'readonly')).toMatchObject({
      readonly: 'fallback-conflict',
      unsaved: true,
    });
    await expect(second.autosave.flushNow()).rejects.toMatchObject({ code: 'readonly' });
    first.type('theirs');
    await first.autosave.flushNow();
    expect(second.autosave.snapshot().elsewhere).toMatchObject({ seq: 1 });
    expect(second.text).toBe('mine!');
    expect(savedText(opfs)).toBe('theirs');
    expect(await second.autosave.restoreFromCurrent()).toBe('theirs');
  });

  it('hands over when it is asked, and saves before it does', async () => {
    const { opfs, clock, openTab, newLock } = browser();
    const first = openTab('');
    await open(first);
    first.type('unsaved yet');
    const lock = newLock();
    const taken = takeOverProjectLock({ graceMs: 2000 }, lock);
    expect(await until(first, ({ phase }) => phase === 'readonly')).toMatchObject({
      readonly: 'released',
      unsaved: false,
    });
    expect(await taken).toMatchObject({ how: 'asked' });
    expect(savedText(opfs)).toBe('unsaved yet');
    const second = openTab('', { lock });
    await open(second);
    expect(await second.autosave.restorePrompt()).toMatchObject({ document: 'unsaved yet', source: 'current' });
    first.type(' and more');
    await clock.advance(10_000);
    expect(savedText(opfs)).toBe('unsaved yet');
    expect(first.autosave.snapshot()).toMatchObject({ phase: 'readonly', unsaved: true });
  });

  it('a tab that was stolen from is refused in mid-save, and its text stays', async () => {
    const { opfs, openTab } = browser();
    const first = openTab('');
    await open(first);
    first.type('stale');
    const held = opfs.hold('write', '-c');
    const flushed = first.autosave.flushNow();
    await held.reached;
    // Another tab takes the record away by force and saves; this one is not told.
    const lock = createProjectLock({ files: opfs.open, locks: null, channel: null });
    locks.push(lock);
    const { lease } = first.lock.snapshot();
    if (lease) await lock.releaseProjectLock({ lease, force: true });
    const second = openTab('', { lock });
    await open(second);
    second.type('newer');
    await second.autosave.flushNow();
    held.release();
    await expect(flushed).rejects.toMatchObject({ code: 'readonly' });
    expect(savedText(opfs)).toBe('newer');
    expect(first.autosave.snapshot()).toMatchObject({ phase: 'readonly', unsaved: true });
    expect(first.text).toBe('stale');
    expect(opfs.paths().filter((path) => path.includes('.tmp-'))).toEqual([]);
  });

  it('goes on after a new acquire, but not over a document that it has not read', async () => {
    const { opfs, clock, openTab } = browser();
    const first = openTab('');
    await open(first);
    first.type('one');
    await first.autosave.flushNow();
    const second = openTab('', { acquire: { maxWaitMs: 60_000 } });
    const { lease } = first.lock.snapshot();
    first.type(', unsaved');
    if (lease) await first.lock.releaseProjectLock({ lease });
    await open(second);
    second.text = await second.autosave.restoreFromCurrent();
    second.type(' and two');
    await second.autosave.dispose();

    await first.lock.acquireProjectLock();
    await until(first, ({ phase }) => phase !== 'awaiting-lock' && phase !== 'readonly');
    expect(first.autosave.snapshot().unread).toBeDefined();
    await clock.advance(10_000);
    expect(await until(first, ({ phase }) => phase === 'error')).toMatchObject({ error: { code: 'unread' } });
    expect(savedText(opfs)).toBe('one and two');
    // The user has compared, and keeps what this tab shows.
    await first.autosave.flushNow();
    expect(savedText(opfs)).toBe('one, unsaved');
    const [, theirs] = await first.autosave.listHistory();
    expect(await first.autosave.restoreFrom(theirs?.time ?? 0)).toBe('one and two');
  });
});

describe('opening', () => {
  it('asks whether to restore, and does not save over what was not read', async () => {
    const { opfs, clock, openTab } = await projectWith('yesterday');
    const tab = openTab('fresh page');
    await open(tab);
    tab.type('!');
    await clock.advance(5000);
    expect(await until(tab, ({ phase }) => phase === 'error')).toMatchObject({ error: { code: 'unread' } });
    expect(savedText(opfs)).toBe('yesterday');
    const offer = await tab.autosave.restorePrompt();
    expect(offer).toMatchObject({ source: 'current', damaged: false, document: 'yesterday' });
    await clock.advance(5000);
    await saved(tab);
    expect(savedText(opfs)).toBe('fresh page!');
  });

  it('has nothing to ask for a new project, nor for the same text', async () => {
    const fresh = browser().openTab('x');
    expect(await fresh.autosave.restorePrompt()).toBeNull();
    const { openTab } = await projectWith('same');
    expect(await openTab('same').autosave.restorePrompt()).toBeNull();
  });

  it('offers the newest generation that proves itself when current is damaged, and deletes nothing', async () => {
    const { opfs, openTab } = await projectWith('good');
    const writer = openTab('good');
    await writer.autosave.restorePrompt();
    writer.type(', better');
    await writer.autosave.dispose();
    const paths = opfs.paths();
    opfs.put(current, '{"sum":"torn');
    const newest = paths.filter((path) => path.includes('history/')).at(-1) ?? '';
    opfs.put(newest, 'torn too');

    const tab = openTab('');
    expect(await until(tab, ({ phase }) => phase === 'error')).toMatchObject({
      error: { code: 'data-corrupted', retryable: false },
    });
    await expect(tab.autosave.restoreFromCurrent()).rejects.toMatchObject({ code: 'data-corrupted' });
    expect(await tab.autosave.restorePrompt()).toMatchObject({ source: 'history', damaged: true, document: 'good' });
    expect(opfs.paths()).toEqual(paths);
    tab.type('rescued');
    await tab.autosave.flushNow();
    expect(savedText(opfs)).toBe('rescued');
    expect(opfs.read('project/autosave/damaged.json')).toBe('{"sum":"torn');
    expect(tab.autosave.snapshot().error).toBeUndefined();
  });

  it('says data-corrupted where nothing proves itself', async () => {
    const { opfs, openTab } = await projectWith('good');
    for (const path of opfs.paths()) if (path.endsWith('.json')) opfs.put(path, 'torn');
    const tab = openTab('');
    await expect(tab.autosave.restorePrompt()).rejects.toMatchObject({ code: 'data-corrupted' });
    const [generation] = await tab.autosave.listHistory();
    await expect(tab.autosave.restoreFrom(generation?.time ?? 0)).rejects.toMatchObject({ code: 'data-corrupted' });
  });

  it('knows no document of a time at which nothing was saved', async () => {
    const { openTab } = await projectWith('good');
    await expect(openTab('').autosave.restoreFrom(1)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('says read-failed when the file cannot be read', async () => {
    const { opfs, openTab } = await projectWith('good');
    const tab = openTab('');
    await open(tab);
    opfs.fail({ operation: 'read', path: 'current.json', times: Number.POSITIVE_INFINITY });
    await expect(tab.autosave.restoreFromCurrent()).rejects.toMatchObject({ code: 'read-failed', retryable: true });
  });

  it('tries again when the first look at the files failed', async () => {
    const { opfs, clock, openTab } = browser();
    opfs.fail({ operation: 'list', path: 'autosave/' });
    const tab = openTab('');
    expect(await until(tab, ({ phase }) => phase === 'error')).toMatchObject({ error: { code: 'write-failed' } });
    tab.type('kept');
    await clock.advance(5000);
    await saved(tab);
    expect(savedText(opfs)).toBe('kept');
  });

  it('is read-only where storage is denied, with the reason', async () => {
    const { opfs, openTab } = browser();
    opfs.fail({ operation: 'open', error: 'SecurityError', times: Number.POSITIVE_INFINITY });
    const tab = openTab('text');
    expect(await until(tab, ({ phase }) => phase === 'readonly')).toMatchObject({ readonly: 'fallback-open-failed' });
    expect(opfs.paths()).toEqual([]);
  });
});

describe('storage that fails', () => {
  it('keeps the text unsaved, says so, and tries again by itself', async () => {
    const { opfs, clock, openTab } = browser();
    const tab = openTab('');
    await open(tab);
    opfs.fail({ operation: 'write', path: '-h' });
    tab.type('a');
    await expect(tab.autosave.flushNow()).rejects.toMatchObject({ code: 'write-failed', retryable: true });
    expect(tab.autosave.snapshot()).toMatchObject({ phase: 'error', unsaved: true });
    expect(opfs.paths()).toEqual(['project/.lock']);
    await clock.advance(4999);
    expect(tab.autosave.snapshot().unsaved).toBe(true);
    await clock.advance(1);
    await saved(tab);
    expect(savedText(opfs)).toBe('a');
    expect(tab.autosave.snapshot()).toMatchObject({ phase: 'idle', error: undefined });
  });

  it('after the commit point costs the history its newest, not the document; the next save puts it right', async () => {
    const { opfs, clock, openTab } = browser();
    const tab = openTab('');
    await open(tab);
    opfs.fail({ operation: 'move', path: '-h' });
    tab.type('a');
    await expect(tab.autosave.flushNow()).rejects.toMatchObject({ code: 'write-failed' });
    expect(savedText(opfs)).toBe('a');
    expect(tab.autosave.snapshot()).toMatchObject({ phase: 'error', unsaved: false, saved: { seq: 1 } });
    tab.type('b');
    await clock.advance(10_000);
    await saved(tab);
    expect(savedText(opfs)).toBe('ab');
    expect(await tab.autosave.listHistory()).toHaveLength(2);
  });

  it('that is full costs the oldest generations, never below five, then says so; current and the lock live on', async () => {
    const { opfs, clock, openTab } = browser();
    const tab = openTab('');
    await open(tab);
    for (let round = 0; round < 12; round++) {
      tab.type('x'.repeat(1000));
      await tab.autosave.flushNow();
    }
    const before = opfs.read(current);
    opfs.setQuota(opfs.usedBytes() + 20_000);
    tab.type('y'.repeat(5000));
    await tab.autosave.flushNow();
    expect(tab.autosave.snapshot().generations).toBeLessThan(12);
    expect(tab.autosave.snapshot().generations).toBeGreaterThan(5);
    expect(opfs.read(current)).not.toBe(before);

    opfs.setQuota(opfs.usedBytes() + 2000);
    const last = opfs.read(current);
    tab.type('z'.repeat(100_000));
    await expect(tab.autosave.flushNow()).rejects.toMatchObject({ code: 'quota-exceeded', retryable: true });
    expect(await tab.autosave.listHistory()).toHaveLength(5);
    expect(opfs.read(current)).toBe(last);
    expect(opfs.paths().filter((path) => path.includes('.tmp-'))).toEqual([]);
    const { lease } = tab.lock.snapshot();
    if (!lease) expect.fail('the lock is still held');
    await tab.lock.renewProjectLock({ lease });

    opfs.setQuota(Number.POSITIVE_INFINITY);
    await clock.advance(5000);
    await saved(tab);
    expect(savedText(opfs)).toBe(tab.text);
    await tab.autosave.dispose();
    expect(tab.lock.snapshot().state).toBe('idle');
  });
});

describe('dispose', () => {
  it('saves, gives the lock back, and is for good', async () => {
    const { opfs, clock, openTab } = browser();
    const tab = openTab('');
    await open(tab);
    tab.type('last');
    await Promise.all([tab.autosave.dispose(), tab.autosave.dispose()]);
    expect(savedText(opfs)).toBe('last');
    expect(tab.autosave.snapshot().phase).toBe('disabled');
    expect(tab.lock.snapshot().state).toBe('idle');
    tab.type('!');
    await clock.advance(10_000);
    await expect(tab.autosave.flushNow()).rejects.toMatchObject({ code: 'disabled' });
    expect(savedText(opfs)).toBe('last');
    expect(clock.pendingTimers()).toBe(0);
  });

  it('ends the waiting for the lock, and the same lock serves the next one', async () => {
    const { openTab, newLock } = browser();
    const lock = newLock();
    const hasty = openTab('', { lock });
    const done = hasty.autosave.dispose();
    const next = openTab('', { lock });
    await done;
    await open(next);
    next.type('x');
    await next.autosave.flushNow();
    expect(next.autosave.snapshot().saved).toMatchObject({ seq: 1 });
  });
});

describe('snapshot and subscribe', () => {
  it('gives the same object until something changes, and a listener that throws harms nobody', async () => {
    const { openTab } = browser();
    const tab = openTab('');
    await open(tab);
    const before = tab.autosave.snapshot();
    expect(tab.autosave.snapshot()).toBe(before);
    tab.autosave.subscribe(() => {
      throw new Error('a bad listener');
    });
    let calls = 0;
    const stop = tab.autosave.subscribe(() => calls++);
    tab.type('a');
    const typed = tab.autosave.snapshot();
    expect(typed).not.toBe(before);
    tab.type('b');
    expect(tab.autosave.snapshot()).toBe(typed);
    expect(calls).toBe(1);
    stop();
    stop();
    await tab.autosave.flushNow();
    expect(calls).toBe(1);
  });
});

describe('the boundary', () => {
  it('writes nothing outside project/', async () => {
    const { opfs, openTab } = browser();
    for (const folder of ['collector', 'analyzer', 'workflow-cookbook']) opfs.put(`${folder}/data.jsonl`, 'theirs');
    const before = opfs.paths();
    const tab = openTab('');
    await open(tab);
    for (let round = 0; round < 22; round++) {
      tab.type('x');
      await tab.autosave.flushNow();
    }
    await tab.autosave.dispose();
    expect(opfs.paths().filter((path) => !path.startsWith('project/'))).toEqual(before);
    expect(opfs.paths().filter((path) => path.endsWith('.lock'))).toEqual(['project/.lock']);
  });
});
