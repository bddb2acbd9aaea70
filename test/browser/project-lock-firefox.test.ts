/** The same races in the second engine. Skipped, and counted as such, where there is no Firefox. */
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultRounds, reportFault } from '../process/fault-rounds.ts';
import { findFirefox, launchFirefox, type TestFirefox } from './launch-firefox.ts';
import { type PageServer, servePages } from './serve-pages.ts';
import { watchSections } from './watch-sections.ts';

const program = findFirefox();
const rounds = faultRounds('BROWSER_RACES', 0);
let browser: TestFirefox;
let server: PageServer;

beforeAll(async () => {
  if (program === undefined) return;
  server = await servePages();
  browser = await launchFirefox(program);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const noLocks = { nolocks: '' };
const noWorker = { csp: "worker-src 'none'" };
const web = { way: 'web', page: {} };
const timeout = { way: 'timeout', page: {} };
const file = { way: 'file', page: noLocks };
const races = [
  { name: 'two tabs, both ways mixed in each', tabs: [timeout, timeout], n: 30 },
  { name: 'five tabs, every way in', tabs: [web, timeout, file, { way: 'session', page: {} }, web], n: 15 },
  { name: 'no worker beside a worker', tabs: [{ way: 'web', page: noWorker }, timeout], n: 10 },
];

async function openTab(parameters: Readonly<Record<string, string>>): Promise<Page> {
  const page = await browser.openTab(server.pageUrl({ ...parameters, module: '/pages/race-tab.mjs' }));
  await page.waitForFunction('window.ready');
  return page;
}

describe.skipIf(program === undefined)('races in Firefox', () => {
  it.each(races)('$name: one at a time, tokens rise', { timeout: 600_000 }, async ({ name, tabs, n }) => {
    const each = rounds > 0 ? Math.round(rounds / 4) : n;
    const report = watchSections(server, name);
    const pages: Page[] = [];
    for (const { page } of tabs) pages.push(await openTab(page));
    const startMs = performance.now();
    await Promise.all(
      pages.map((page, number) => {
        const options = { n: each, run: name, tab: `tab${number}`, way: tabs[number]?.way };
        return page.evaluate((given) => window.loaded.race(given), options);
      }),
    );
    for (const page of pages) await page.close();
    const { grants, overlaps, tokenErrors } = report();
    const seconds = Math.round((performance.now() - startMs) / 1000);
    if (rounds > 0)
      reportFault({
        race: `firefox: ${name}`,
        grants,
        overlaps: overlaps.length,
        tokenErrors: tokenErrors.length,
        seconds,
      });
    expect(overlaps).toEqual([]);
    expect(tokenErrors).toEqual([]);
    expect(grants).toBe(each * tabs.length);
  });
});
