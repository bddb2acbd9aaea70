/** The editor on the real server, in real tabs: one writes, the others read, and nothing typed is lost. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, type TestBrowser } from '../browser/launch-chromium.ts';
import { startServer, type TestServer } from './start-server.ts';
import { type WatchedPage, watchPage } from './watch-page.ts';

describe('editor', { timeout: 60_000 }, () => {
  let server: TestServer;
  let browser: TestBrowser;
  const watched: WatchedPage[] = [];

  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer(), launchChromium()]);
    await server.run('flags', 'set', '--phase', 'B-1');
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  // The next one is to find a project that nobody writes, also after a failure.
  afterEach(async () => {
    for (const page of browser.context.pages()) await page.close();
  });

  const open = async (): Promise<Page> => {
    const page = await browser.openTab('about:blank');
    page.setDefaultTimeout(60_000);
    watched.push(watchPage(page));
    await page.goto(`${server.url}/editor`);
    return page;
  };
  const openWriter = async (): Promise<Page> => {
    const page = await open();
    await textOf(page).waitFor();
    return page;
  };
  const textOf = (page: Page): Locator => page.getByRole('textbox', { name: 'Scene text' });
  const readingOf = (page: Page): Locator => page.getByRole('region', { name: 'Scene text' });
  const versionsOf = (page: Page): Locator =>
    page.getByRole('listbox', { name: /^(Saved versions|保存した版)$/ }).getByRole('option');
  const saved = (page: Page): Promise<void> => page.getByText(/^Saved \d/).waitFor();
  const append = async (page: Page, words: string): Promise<void> => {
    await textOf(page).focus();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(words);
  };
  const save = async (page: Page): Promise<void> => {
    await page.keyboard.press('Control+s');
    await saved(page);
  };

  it('saves by itself what is typed in every field, and opens it again', async () => {
    const page = await openWriter();
    await page.getByText('An empty page.').waitFor();
    await page.getByLabel('Title of the storyboard').fill('Night ferry');
    await page.getByLabel('Name of the scene').fill('Harbour');
    await page.getByLabel('Length in seconds').fill('12');
    await page.getByLabel('Sound').fill('a horn');
    await page.getByLabel('Picture').selectOption('bridge');
    await textOf(page).fill('The rope falls.');
    await page.getByText('Not saved yet').waitFor();
    await saved(page);
    await page.getByRole('button', { name: 'Add a scene' }).click();
    await page.getByLabel('Name of the scene').fill('Sea');
    await page.getByRole('button', { name: 'Move up' }).click();
    await save(page);
    const versions = await page.getByText(/ of 20 versions/).textContent();
    await page.reload();
    await page.getByRole('button', { name: '2. Harbour' }).click();
    // What was opened is saved already, and is not saved again.
    expect(await page.getByText('Not saved yet').count()).toBe(0);
    expect(await page.getByText(/ of 20 versions/).textContent()).toBe(versions);
    expect(await textOf(page).inputValue()).toBe('The rope falls.');
    expect(await page.getByLabel('Length in seconds').inputValue()).toBe('12');
    expect(await page.title()).toBe('Night ferry · Editor');
    await page.getByRole('button', { name: '1. Sea' }).click();
    await page.getByRole('button', { name: 'Remove the scene…' }).click();
    await page.getByRole('button', { name: 'Remove the scene', exact: true }).click();
    await page.getByRole('button', { name: '1. Harbour' }).waitFor();
    await save(page);
  });

  it('lets one tab write; another reads along, and takes over with every word of the first', async () => {
    const first = await openWriter();
    const second = await open();
    await second.getByText('Read-only: another tab is writing this project.').waitFor();
    expect(await textOf(second).count()).toBe(0);
    await append(first, ' Gulls.');
    await save(first);
    await readingOf(second).getByText('The rope falls. Gulls.').waitFor();

    // Typed and not saved yet: the first tab saves it before it lets go.
    await append(first, ' Nobody waves.');
    await second.getByRole('button', { name: 'Take over' }).click();
    await second.getByText('Writing here').waitFor();
    expect(await textOf(second).inputValue()).toBe('The rope falls. Gulls. Nobody waves.');
    await first.getByText('Read-only: another tab took over.').waitFor();
    await append(second, ' Then one does.');
    await save(second);
    await readingOf(first).getByText('Nobody waves. Then one does.').waitFor();
  });

  it('keeps and marks the text of a tab that was overruled, and lets its reader choose', async () => {
    const late = await openWriter();
    const other = await open();
    await other.getByText('Read-only: another tab').waitFor();
    await append(late, '\n\nOnly here.');
    await browser.setStopped(late, true);
    await other.getByRole('button', { name: 'Take over' }).click();
    await other.getByText('Asking the other tab…').waitFor();
    await other.getByText('Writing here').waitFor();
    await append(other, '\n\nWritten elsewhere.');
    await save(other);
    await browser.setStopped(late, false);
    await late.getByText(/^Read-only: another tab/).waitFor();
    await late.getByText('Kept here, not saved').waitFor();
    await late.getByText('1 sentence not saved').waitFor();
    expect(await watched.at(-2)?.findBarriers()).toEqual([]);

    await late.getByRole('button', { name: 'Take over' }).click();
    await late.getByText('what you have not seen').waitFor();
    expect(await watched.at(-2)?.findBarriers()).toEqual([]);
    await late.getByRole('button', { name: 'Go on with mine' }).click();
    await saved(late);
    expect(await textOf(late).inputValue()).toContain('Only here.');

    // The other one's text is in the history, and comes back from there.
    await late.getByRole('button', { name: 'History', exact: true }).click();
    const versions = versionsOf(late);
    await versions.nth(1).click();
    await late.locator('.diff del', { hasText: 'Written' }).waitFor();
    await late.keyboard.press('ArrowUp');
    await late.getByText('No difference').waitFor();
    await late.keyboard.press('ArrowDown');
    await late.getByRole('button', { name: 'Restore this…' }).click();
    await late.getByRole('button', { name: 'Restore this version' }).click();
    await late.waitForFunction(() => document.querySelector('textarea')?.value.includes('Written elsewhere.'));
    await save(late);
    await late.keyboard.press('Escape');
  });

  it('loses nothing that was saved when its tab is killed inside a save', async () => {
    for (let round = 1; round <= 3; round++) {
      const page = await openWriter();
      await textOf(page).fill(`saved ${round}`);
      await save(page);
      await append(page, ` and more ${round}`);
      await page.keyboard.press('Control+s');
      await browser.crash(page);
      await page.close();
      const next = await openWriter();
      expect([`saved ${round}`, `saved ${round} and more ${round}`]).toContain(await textOf(next).inputValue());
      await next.close();
    }
  });

  it('shows the newest good version where the saved file is damaged', async () => {
    const page = await openWriter();
    await textOf(page).fill('sound and whole');
    await save(page);
    await page.evaluate(async () => {
      const root = await navigator.storage.getDirectory();
      const folder = await (await root.getDirectoryHandle('project')).getDirectoryHandle('autosave');
      const file = await (await folder.getFileHandle('current.json')).createWritable();
      await file.write('{"sum":"nonsense"');
      await file.close();
    });
    await page.reload();
    await page.getByText('The saved file cannot be read.').waitFor();
    expect(await textOf(page).inputValue()).toBe('sound and whole');
    await append(page, '.');
    await save(page);
  });

  it('has no barrier and fits, writing and reading, wide and narrow, light and dark, in both languages', async () => {
    const writer = await openWriter();
    await append(writer, ' Fog.');
    await save(writer);
    const reader = await open();
    await reader.getByText('Read-only', { exact: true }).waitFor();
    for (const page of [writer, reader]) {
      await page.getByRole('button', { name: 'History', exact: true }).click();
      await versionsOf(page).first().waitFor();
    }
    for (const [width, theme, language] of [
      [1280, 'light', 'en'],
      [380, 'dark', 'ja'],
      [320, 'light', 'ja'],
      [1280, 'dark', 'en'],
    ] as const) {
      for (const [i, page] of [writer, reader].entries()) {
        await page.setViewportSize({ width, height: 900 });
        const look = (): Promise<readonly (string | undefined)[]> =>
          page.evaluate(() => [document.documentElement.dataset.theme, document.documentElement.lang]);
        if ((await look())[0] !== theme) await page.getByRole('button', { name: /^(Light or dark|明暗)/ }).click();
        if ((await look())[1] !== language) await page.getByRole('button', { name: /^(EN|日本語)$/ }).click();
        const words = { en: ['Writing here', 'Read-only'], ja: ['編集中', '閲覧のみ'] }[language];
        await page.getByText(words[i] ?? '', { exact: true }).waitFor();
        // Colours fade for a moment after the theme was changed.
        await page.waitForFunction(() => document.getAnimations().length === 0);
        expect(await watched.at(i - 2)?.findBarriers(), `${width} ${theme} ${language}`).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
    }
    await writer.evaluate(() => localStorage.clear());
  });

  it('saves only when told where the rollout has not reached it, until its reader turns AutoSave on', async () => {
    await server.run('flags', 'set', '--phase', 'A-0');
    const page = await openWriter();
    await page.getByText('Saves when you say so · phase A-0').waitFor();
    await append(page, ' By hand.');
    await page.getByText('Not saved yet').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await saved(page);
    await page.getByRole('button', { name: 'Turn AutoSave on' }).click();
    await page.getByText('AutoSave · phase B-1').waitFor();
    await textOf(page).waitFor();
    expect(await textOf(page).inputValue()).toContain('By hand.');
    await page.getByRole('button', { name: 'As the server says' }).click();
    await page.getByText('Saves when you say so · phase A-0').waitFor();
    await server.run('flags', 'set', '--phase', 'B-1');
  });

  it('goes on without a server: writes, saves, takes over, and opens again', async () => {
    const first = await openWriter();
    await first.getByLabel('Picture').selectOption('wall');
    await first.evaluate(() => navigator.serviceWorker.ready);
    await first.waitForFunction(async () => (await (await caches.open('kannuki-editor')).keys()).length > 12);
    await server.stop();
    const before = watched.length;
    await append(first, ' Offline.');
    await save(first);
    const second = await open();
    await second.getByText('Read-only: another tab').waitFor();
    await append(first, ' And on.');
    await second.getByRole('button', { name: 'Take over' }).click();
    await textOf(second).waitFor();
    expect(await textOf(second).inputValue()).toContain('Offline. And on.');
    // The server is asked for the phase and for the page, in vain; nothing else may be missing.
    const missed = watched.slice(before - 1).flatMap(({ complaints }) => complaints);
    expect(missed.filter((text) => !/ERR_CONNECTION_REFUSED|Failed to fetch/.test(text))).toEqual([]);
    watched.splice(before - 1);
  });

  it('said nothing to the console, and the policy had nothing to report', () => {
    expect(watched.flatMap(({ complaints }) => complaints)).toEqual([]);
  });
});
