/** Storage that fails or is full: the text stays unsaved and is tried again; what was saved before is untouched. */
import { describe, expect, it } from 'vitest';
import { currentPath, doubleBrowser, open, saved, savedText } from '../../../test/browser/autosave/double-browser.ts';

describe('storage that fails', () => {
  it('keeps the text unsaved, says so, and tries again by itself', async () => {
    const { opfs, clock, openTab } = doubleBrowser();
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
    const { opfs, clock, openTab } = doubleBrowser();
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
    const { opfs, clock, openTab } = doubleBrowser();
    const tab = openTab('');
    await open(tab);
    for (let round = 0; round < 12; round++) {
      tab.type('x'.repeat(1000));
      await tab.autosave.flushNow();
    }
    const before = opfs.read(currentPath);
    opfs.setQuota(opfs.usedBytes() + 20_000);
    tab.type('y'.repeat(5000));
    await tab.autosave.flushNow();
    expect(tab.autosave.snapshot().generations).toBeLessThan(12);
    expect(tab.autosave.snapshot().generations).toBeGreaterThan(5);
    expect(opfs.read(currentPath)).not.toBe(before);

    opfs.setQuota(opfs.usedBytes() + 2000);
    const last = opfs.read(currentPath);
    tab.type('z'.repeat(100_000));
    await expect(tab.autosave.flushNow()).rejects.toMatchObject({ code: 'quota-exceeded', retryable: true });
    expect(await tab.autosave.listHistory()).toHaveLength(5);
    expect(opfs.read(currentPath)).toBe(last);
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
