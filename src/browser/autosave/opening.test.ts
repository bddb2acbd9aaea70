/** What AutoSave finds when it opens a project, and what it offers to restore. */
import { describe, expect, it } from 'vitest';
import {
  currentPath,
  doubleBrowser,
  open,
  projectWith,
  saved,
  savedText,
  until,
} from '../../../test/browser/autosave/double-browser.ts';

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
    const fresh = doubleBrowser().openTab('x');
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
    opfs.put(currentPath, '{"sum":"torn');
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
    const { opfs, clock, openTab } = doubleBrowser();
    opfs.fail({ operation: 'list', path: 'autosave/' });
    const tab = openTab('');
    expect(await until(tab, ({ phase }) => phase === 'error')).toMatchObject({ error: { code: 'write-failed' } });
    tab.type('kept');
    await clock.advance(5000);
    await saved(tab);
    expect(savedText(opfs)).toBe('kept');
  });

  it('is read-only where storage is denied, with the reason', async () => {
    const { opfs, openTab } = doubleBrowser();
    opfs.fail({ operation: 'open', error: 'SecurityError', times: Number.POSITIVE_INFINITY });
    const tab = openTab('text');
    expect(await until(tab, ({ phase }) => phase === 'readonly')).toMatchObject({ readonly: 'fallback-open-failed' });
    expect(opfs.paths()).toEqual([]);
  });
});
