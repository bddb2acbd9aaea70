/** Limits, a full disk, damaged files and the boundary, on the real file system of Chromium. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { launchChromium, type TestBrowser } from '../launch-chromium.ts';
import { type PageServer, servePages } from '../serve-pages.ts';
import { type AutoSaveTab, openAutoSaveTab } from './open-autosave-tab.ts';

const current = 'project/autosave/current.json';
let server: PageServer;
let browser: TestBrowser;
let tab: AutoSaveTab;
beforeAll(async () => {
  server = await servePages();
});
afterAll(() => server?.close());
beforeEach(async () => {
  browser = await launchChromium();
  tab = await openAutoSaveTab(browser, server);
});
afterEach(() => browser?.close());

/** Types so many letters and saves, in the page. */
const saveLetters = (bytes: number): Promise<string | { readonly code: string }> =>
  tab.page.evaluate((count) => {
    window.loaded.type('x'.repeat(count));
    return window.loaded.flush();
  }, bytes);
const history = (): Promise<readonly { readonly seq: number; readonly bytes: number; readonly time: number }[]> =>
  tab.call('history');

it('keeps 20 of 21 generations, and writes nothing outside project/', { timeout: 60_000 }, async () => {
  const theirs = ['collector/a.jsonl', 'analyzer/b.json', 'workflow-cookbook/c.md'];
  for (const path of theirs) await tab.call('put', path, 'theirs');
  await tab.call('open', {});
  for (let round = 1; round <= 21; round++) expect(await saveLetters(10)).toBe('saved');
  expect((await history()).map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, at) => 21 - at));
  await tab.call('dispose');
  const paths: readonly string[] = await tab.call('walk');
  expect(paths.filter((path) => !path.startsWith('project/'))).toEqual([...theirs].sort());
  for (const path of theirs) expect(await tab.call('read', path)).toBe('theirs');
  expect(paths.filter((path) => path.endsWith('.lock'))).toEqual(['project/.lock']);
  expect(paths.filter((path) => path.startsWith('project/'))).toHaveLength(20 + 3);
});

it('stays under 50 MB', { timeout: 120_000 }, async () => {
  await tab.call('open', {});
  await tab.page.evaluate(() => window.loaded.type('x'.repeat(5_000_000)));
  for (let round = 1; round <= 12; round++) {
    expect(await saveLetters(1)).toBe('saved');
    expect(await tab.call('usedBytes')).toBeLessThanOrEqual(50 * 1024 * 1024);
  }
  expect(await history()).toHaveLength(9);
  expect(await tab.call('snapshot')).toMatchObject({ generations: 9 });
});

it('drops the oldest when storage is full, never below five, and keeps current and the lock', {
  timeout: 120_000,
  // On a starved machine the browser itself gives up a write before it finds that there is no room.
  retry: 2,
}, async () => {
  await tab.call('open', { maxUnsavedMs: 1000 });
  for (let round = 1; round <= 14; round++) expect(await saveLetters(100_000)).toBe('saved');
  expect(await history()).toHaveLength(14);
  const usage = async (): Promise<number> => (await tab.page.evaluate(() => navigator.storage.estimate())).usage ?? 0;
  // Room for one of the two files of the next save.
  await browser.setQuota(tab.page, (await usage()) + 2_000_000);
  expect(await saveLetters(100_000)).toBe('saved');
  const left = (await history()).length;
  expect(left).toBeGreaterThan(5);
  expect(left).toBeLessThan(15);

  const before = await tab.call('read', current);
  expect(await saveLetters(12_000_000)).toEqual({ code: 'quota-exceeded' });
  expect(await history()).toHaveLength(5);
  expect(await tab.call('read', current)).toBe(before);
  // It is tried again each second: between two attempts nothing is left of the last one.
  expect(await tab.call('untilPhase', 'error')).toMatchObject({ unsaved: true, error: 'quota-exceeded' });
  const temporaries = async (): Promise<readonly string[]> =>
    (await tab.call('walk')).filter((path: string) => path.includes('.tmp-'));
  await expect.poll(temporaries).toEqual([]);
  expect(typeof (await tab.call('renew'))).toBe('number');

  // The user frees some space: the text is still there, and is saved by itself.
  await browser.setQuota(tab.page, 1_000_000_000);
  expect(await tab.call('untilPhase', 'idle')).toMatchObject({ unsaved: false });
  expect(await tab.call('read', current)).not.toBe(before);
});

it('offers the newest generation when current.json is damaged', { timeout: 60_000 }, async () => {
  await tab.call('open', {});
  for (const word of ['one', ' two']) {
    await tab.call('type', word);
    await tab.call('flush');
  }
  await tab.call('dispose');
  const text: string = await tab.call('read', current);
  for (const damage of [text.slice(0, text.length / 2), text.replace('two', 'six'), '', 'x'.repeat(100_000)]) {
    await tab.call('put', current, damage);
    const paths = await tab.call('walk');
    const next = await openAutoSaveTab(browser, server);
    expect(await next.call('open', {})).toMatchObject({ source: 'history', damaged: true, document: 'one two' });
    expect(await next.call('restoreFromCurrent')).toEqual({ code: 'data-corrupted' });
    expect(await next.call('snapshot')).toMatchObject({ phase: 'error', error: 'data-corrupted' });
    expect(await next.call('walk')).toEqual(paths);
    await next.call('dispose');
  }
  const rescue = await openAutoSaveTab(browser, server);
  await rescue.call('open', {});
  await rescue.call('type', ' three');
  expect(await rescue.call('flush')).toBe('saved');
  expect(await rescue.call('read', 'project/autosave/damaged.json')).toBe('x'.repeat(100_000));
  expect(JSON.parse(await rescue.call('read', current)).document).toBe('one two three');
  const [, , first] = await rescue.call('history');
  expect(await rescue.call('restoreFrom', first.time)).toBe('one');
});

it('works without a worker, where a policy forbids it', { timeout: 60_000 }, async () => {
  const strict = await openAutoSaveTab(browser, server, { csp: "worker-src 'none'" });
  await strict.call('open', {});
  await strict.call('type', 'no worker');
  expect(await strict.call('flush')).toBe('saved');
  await strict.call('dispose');
  expect(await tab.call('open', {})).toMatchObject({ document: 'no worker' });
});
