/**
 * Tabs of one profile race for the lock: never two sections at once, and tokens that only rise, whichever way in. Two
 * designs that are known not to work run through the same observer and are caught. Long form:
 * `npm run faults -- browser-races`.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultRounds, reportFault } from '../process/fault-rounds.ts';
import { launchChromium, type TestBrowser } from './launch-chromium.ts';
import { type PageServer, servePages } from './serve-pages.ts';
import { type SectionReport, watchSections } from './watch-sections.ts';

/** 0: the short form. */
const rounds = faultRounds('BROWSER_RACES', 0);
const limitMs = rounds > 0 ? 1_200_000 : 60_000;
let browser: TestBrowser;
let server: PageServer;

beforeAll(async () => {
  server = await servePages();
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

interface Tab {
  readonly way: 'web' | 'file' | 'timeout' | 'session';
  readonly page?: Readonly<Record<string, string>>;
}

const noLocks = { nolocks: '' };
const noWorker = { csp: "worker-src 'none'" };
const web: Tab = { way: 'web' };
const timeout: Tab = { way: 'timeout' };
const session: Tab = { way: 'session' };
const file: Tab = { way: 'file', page: noLocks };

/** Tabs and how often each enters: in `npm test`, and in the long form as a share of its rounds. */
const races: readonly { readonly name: string; readonly tabs: readonly Tab[]; readonly n: number; share: number }[] = [
  { name: 'two tabs by Web Lock', tabs: [web, web], n: 60, share: 1 },
  { name: 'two tabs without Web Locks', tabs: [file, file], n: 60, share: 1 },
  { name: 'one tab with Web Locks, one without', tabs: [web, file], n: 60, share: 1 },
  { name: 'two tabs, both ways mixed in each', tabs: [timeout, timeout], n: 60, share: 1 },
  { name: 'five tabs by Web Lock', tabs: [web, web, web, web, web], n: 20, share: 0.5 },
  { name: 'five tabs without Web Locks', tabs: [file, file, file, file, file], n: 20, share: 0.5 },
  { name: 'five tabs, every way in', tabs: [web, web, timeout, file, session], n: 30, share: 0.5 },
  { name: 'two sessions and two others', tabs: [session, session, timeout, file], n: 30, share: 0.5 },
  {
    name: 'no worker beside workers',
    tabs: [{ way: 'web', page: noWorker }, { way: 'timeout', page: noWorker }, timeout, file],
    n: 15,
    share: 0.2,
  },
];

async function run(
  tabs: readonly Tab[],
  module: string,
  work: (page: Page, tab: Tab, number: number) => Promise<unknown>,
  name: string,
): Promise<SectionReport> {
  const report = watchSections(server, name);
  const pages: Page[] = [];
  try {
    for (const { page = {} } of tabs) pages.push(await openTab(module, page));
    await Promise.all(pages.map((page, number) => work(page, tabs[number] as Tab, number)));
  } finally {
    for (const page of pages) await page.close();
  }
  return report();
}

async function openTab(module: string, parameters: Readonly<Record<string, string>>): Promise<Page> {
  const page = await browser.openTab(server.pageUrl({ ...parameters, module }));
  await page.waitForFunction('window.ready');
  return page;
}

describe('races in Chromium', () => {
  it.each(races)('$name: one at a time, tokens rise', { timeout: limitMs }, async ({ name, tabs, n, share }) => {
    const each = rounds > 0 ? Math.round(rounds * share) : n;
    const race = (page: Page, { way }: Tab, number: number): Promise<unknown> =>
      page.evaluate((options) => window.loaded.race(options), { n: each, run: name, tab: `tab${number}`, way });
    const startMs = performance.now();
    const { grants, overlaps, tokenErrors } = await run(tabs, '/pages/race-tab.mjs', race, name);
    if (rounds > 0) {
      const seconds = Math.round((performance.now() - startMs) / 1000);
      reportFault({ race: name, grants, overlaps: overlaps.length, tokenErrors: tokenErrors.length, seconds });
    }
    expect(overlaps).toEqual([]);
    expect(tokenErrors).toEqual([]);
    expect(grants).toBe(each * tabs.length);
  });
});

describe('planted designs', () => {
  it.each(['literal', 'readBack'] as const)('%s is caught', { timeout: limitMs }, async (design) => {
    const race = (page: Page, _: Tab, number: number): Promise<unknown> =>
      page.evaluate(({ name, ...options }) => window.loaded[name](options), {
        name: design,
        n: 20,
        run: design,
        tab: `tab${number}`,
      });
    const { grants, overlaps } = await run([web, web], '/pages/planted-locks.mjs', race, design);
    expect(grants).toBe(40);
    expect(overlaps.length).toBeGreaterThan(0);
  });
});
