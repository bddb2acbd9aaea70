/** A tab whose right is gone never overwrites newer work: its late save is refused, its text stays, read-only is shown. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, type TestBrowser } from '../launch-chromium.ts';
import { type PageServer, servePages } from '../serve-pages.ts';
import { type AutoSaveTab, openAutoSaveTab } from './open-autosave-tab.ts';

const current = 'project/autosave/current.json';
/** As short as the lock allows without being overrun by a slow machine. */
const ttlMillis = 3000;
const acquire = { ttlMillis };
/** A challenger that does not give up while the holder's lease runs out. */
const patient = { ttlMillis, maxWaitMs: 100, retryPolicy: { initialDelayMs: 200, maxDelayMs: 400, maxAttempts: 60 } };

let server: PageServer;
let browser: TestBrowser;
beforeAll(async () => {
  server = await servePages();
});
afterAll(() => server?.close());
afterEach(async () => {
  await browser?.close();
});

async function openTabs(): Promise<{ readonly first: AutoSaveTab; readonly second: AutoSaveTab }> {
  browser = await launchChromium();
  return { first: await openAutoSaveTab(browser, server), second: await openAutoSaveTab(browser, server) };
}

const savedText = async (tab: AutoSaveTab): Promise<string> => JSON.parse(await tab.call('read', current)).document;

describe('a tab that stands still past its lease', { timeout: 60_000 }, () => {
  it('is refused when it wakes, keeps its text, and is read-only', async () => {
    const { first, second } = await openTabs();
    await first.call('open', { acquire, idleMs: 200 });
    await first.call('type', 'one');
    expect(await first.call('flush')).toBe('saved');
    await first.call('type', ', typed before the sleep');
    await browser.setStopped(first.page, true);

    expect(await second.call('open', { acquire: patient })).toMatchObject({ document: 'one' });
    await second.call('type', ', newer');
    expect(await second.call('flush')).toBe('saved');

    await browser.setStopped(first.page, false);
    expect(await first.call('untilPhase', 'readonly')).toMatchObject({ unsaved: true });
    expect(await first.call('flush')).toEqual({ code: 'readonly' });
    expect(await first.call('shown')).toBe('one, typed before the sleep');
    expect(await savedText(second)).toBe('one, newer');
    expect(await first.call('restoreFromCurrent')).toBe('one, newer');
  });

  it('frozen inside the mutex, before the commit point: the rename does not happen any more', async () => {
    const { first, second } = await openTabs();
    await first.call('open', { acquire });
    await first.call('type', 'one');
    await first.call('flush');
    await first.call('saveUntil', 'current: before rename', ', stale');
    // As a browser with windows tells it before it freezes the page.
    await first.page.evaluate(() => document.dispatchEvent(new Event('freeze')));
    await browser.setStopped(first.page, true);

    expect(await second.call('open', { acquire: patient })).toMatchObject({ document: 'one' });
    await second.call('type', ', newer');
    expect(await second.call('flush')).toBe('saved');

    await browser.setStopped(first.page, false);
    await first.call('goOn');
    expect(await first.call('flushed')).toMatchObject({ code: expect.stringMatching(/readonly|write-failed/) });
    expect(await first.call('untilPhase', 'readonly')).toMatchObject({ unsaved: true });
    expect(await first.call('shown')).toBe('one, stale');
    expect(await savedText(second)).toBe('one, newer');
    expect((await second.call('walk')).filter((path: string) => path.includes('.tmp-'))).toEqual([]);
  });
});

describe('a second tab', { timeout: 60_000 }, () => {
  it('reads, is told of saves, and takes over after the first has saved', async () => {
    const { first, second } = await openTabs();
    await first.call('open', {});
    await first.call('type', 'one');
    await first.call('flush');
    await second.call('open', { acquire: { maxWaitMs: 50, retryPolicy: { maxAttempts: 1 } } });
    expect(await second.call('untilPhase', 'readonly')).toMatchObject({ readonly: 'fallback-conflict' });
    expect(await second.call('shown')).toBe('one');
    await first.call('type', ', two');
    await first.call('flush');
    await second.page.waitForFunction(() => window.loaded.snapshot().elsewhere?.seq === 2);

    await first.call('type', ', not saved yet');
    expect(await second.call('takeOver')).toBe('asked');
    expect(await first.call('untilPhase', 'readonly')).toMatchObject({ readonly: 'released', unsaved: false });
    await second.call('untilPhase', 'idle', 'error');
    expect(await second.call('restore')).toMatchObject({ document: 'one, two, not saved yet' });
    await second.call('type', ', three');
    expect(await second.call('flush')).toBe('saved');
    // The first tab has not seen that; it must not write over it when it gets the right back.
    await first.call('type', ', late');
    expect(await first.call('takeOver')).toBe('asked');
    await first.call('untilPhase', 'idle', 'debouncing', 'error');
    expect(await first.call('snapshot')).toMatchObject({ unsaved: true, unread: { seq: 1 } });
    expect(await savedText(first)).toBe('one, two, not saved yet, three');
  });

  it('gets the project when the first is closed', async () => {
    const { first, second } = await openTabs();
    await first.call('open', {});
    await first.call('type', 'one');
    await first.call('flush');
    const opened = second.call('open', { acquire: { maxWaitMs: 20_000 } });
    await first.page.close();
    expect(await opened).toMatchObject({ document: 'one' });
    expect(await second.call('untilPhase', 'idle')).toMatchObject({ generations: 1 });
  });

  it('gets the project when the first goes to another page', async () => {
    const { first } = await openTabs();
    await first.call('open', {});
    await first.call('type', 'one');
    await first.call('flush');
    await first.page.goto(`${server.origin}/?other`);
    const other = await openAutoSaveTab(browser, server);
    expect(await other.call('open', { acquire: { maxWaitMs: 20_000 } })).toMatchObject({ document: 'one' });
  });
});
