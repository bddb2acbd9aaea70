/** When AutoSave saves, who may, and how it ends. Over the real lock, on doubles of the browser and the clock. */
import { describe, expect, it } from 'vitest';
import {
  currentPath,
  doubleBrowser,
  open,
  saved,
  savedText,
  until,
} from '../../../test/browser/autosave/double-browser.ts';
import { takeOverProjectLock } from '../project-lock/take-over-project-lock.ts';
import { initAutoSave } from './init-auto-save.ts';

describe('when it saves', () => {
  it('2 s after the last change, and tells its phases on the way', async () => {
    const { opfs, clock, openTab } = doubleBrowser();
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
    expect(opfs.paths()).not.toContain(currentPath);
    expect(tab.autosave.snapshot()).toMatchObject({ phase: 'debouncing', unsaved: true });
    await clock.advance(1);
    const snapshot = await saved(tab);
    expect(savedText(opfs)).toBe('ab');
    expect(snapshot).toMatchObject({ phase: 'idle', generations: 1, saved: { seq: 1 } });
    expect(phases).toEqual(['debouncing', 'writing-current', 'updating-index', 'idle']);
  });

  it('5 s after the first unsaved change although typing goes on', async () => {
    const { opfs, clock, openTab } = doubleBrowser();
    const tab = openTab('');
    await open(tab);
    for (let letter = 0; letter < 25; letter++) {
      tab.type('x');
      await clock.advance(199);
    }
    expect(opfs.paths()).not.toContain(currentPath);
    tab.type('x');
    await clock.advance(25);
    await until(tab, (snapshot) => snapshot.saved !== undefined);
    expect(savedText(opfs)).toBe('x'.repeat(26));
  });

  it.each(['pagehide', 'visibilitychange'] as const)('at once on %s', async (type) => {
    const { opfs, openTab } = doubleBrowser();
    const tab = openTab('');
    await open(tab);
    tab.type('leaving');
    tab.leave(type);
    await saved(tab);
    expect(savedText(opfs)).toBe('leaving');
  });

  it('what was typed before the lock came', async () => {
    const { opfs, clock, openTab } = doubleBrowser();
    const tab = openTab('');
    tab.type('early');
    await until(tab, ({ phase }) => phase !== 'awaiting-lock');
    await clock.advance(2000);
    await saved(tab);
    expect(savedText(opfs)).toBe('early');
  });

  it('what was typed during a save, in the next one', async () => {
    const { opfs, clock, openTab } = doubleBrowser();
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
    const { openTab } = doubleBrowser();
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
    const { openTab } = doubleBrowser();
    const tab = openTab('');
    await tab.autosave.flushNow();
    expect(tab.autosave.snapshot().saved).toBeUndefined();
    tab.type('a');
    await Promise.all([tab.autosave.flushNow(), tab.autosave.flushNow()]);
    expect(tab.autosave.snapshot().saved?.seq).toBe(1);
  });

  it('says what is wrong with a document that JSON cannot say', async () => {
    const { opfs, clock, newLock } = doubleBrowser();
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
    const { opfs, clock, openTab } = doubleBrowser();
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
    const { opfs, clock, openTab, newLock } = doubleBrowser();
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
    const { opfs, openTab, newLock } = doubleBrowser();
    const first = openTab('');
    await open(first);
    first.type('stale');
    const held = opfs.hold('write', '-c');
    const flushed = first.autosave.flushNow();
    await held.reached;
    // Another tab takes the record away by force and saves; this one is not told.
    const lock = newLock(true);
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
    const { opfs, clock, openTab } = doubleBrowser();
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
    // Looking at a version does not count as having read the newest.
    const [newest] = await first.autosave.listHistory();
    expect(await first.autosave.previewFrom(newest?.time ?? 0)).toBe('one and two');
    expect(first.autosave.snapshot().unread).toBeDefined();
    await expect(first.autosave.previewFrom(1)).rejects.toMatchObject({ code: 'not-found' });
    // The user has compared, and keeps what this tab shows.
    await first.autosave.flushNow();
    expect(savedText(opfs)).toBe('one, unsaved');
    const [, theirs] = await first.autosave.listHistory();
    expect(await first.autosave.restoreFrom(theirs?.time ?? 0)).toBe('one and two');
  });
});

describe('dispose', () => {
  it('saves, gives the lock back, and is for good', async () => {
    const { opfs, clock, openTab } = doubleBrowser();
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
    const { openTab, newLock } = doubleBrowser();
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
    const { openTab } = doubleBrowser();
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
    const { opfs, openTab } = doubleBrowser();
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
