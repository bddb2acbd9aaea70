/**
 * How the pages of operations look and what they load, and that text stays text, on the real server and a real database:
 * one server and one browser for all of it. What the pages do is in operations-acts.test.ts.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, type TestBrowser } from '../browser/launch-chromium.ts';
import { hostileStrings } from './hostile-strings.ts';
import { type LivingServer, startLivingServer } from './living-server.ts';
import { type WatchedPage, watchPage } from './watch-page.ts';

const assets = fileURLToPath(new URL('../../dist/web/assets/', import.meta.url));

describe('operations pages', () => {
  let server: LivingServer;
  let browser: TestBrowser;
  let page: Page;
  let watched: WatchedPage;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startLivingServer(), launchChromium()]);
    page = await browser.openTab('about:blank');
    page.setDefaultTimeout(60_000);
    await page.setViewportSize({ width: 1280, height: 900 });
    watched = watchPage(page);
    for (const key of ['report/daily', ...hostileStrings.slice(0, 3)])
      await server.post('/api/v1/leases/acquire', { key, ttlMs: 600_000 });
    await page.goto(server.signInUrl);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const open = async (path: string, title: string): Promise<void> => {
    await page.goto(`${server.url}${path}`);
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
  };

  it('shows a late write that was refused where it happened', async () => {
    const [run] = await server.sql<{ id: number }>(
      `select max(id) as id from kannuki.job_run_history where state = 'SUCCEEDED' and attempt = 1 and assigned_worker_id = 1`,
    );
    await server.sql(`insert into kannuki.job_refusals (run_id, worker_id, leader_epoch, version, attempt, wanted, reason)
values (${run?.id}, 1, 40, 3, 1, 'SUCCEEDED', 'wrong-state')`);
    await page.goto(`${server.url}/runs/${run?.id}`);
    await page.getByText('Late write refused', { exact: true }).waitFor();
    await page.locator('.lanes .zx').waitFor();
    await page.getByRole('button', { name: 'Refused 1' }).click();
    expect(await page.locator('.tl > li').count()).toBe(1);
  });

  it('keeps a view for the next time, and says what goes nowhere', async () => {
    await open('/runs?state=failed&job=report.daily', 'Runs');
    await page.getByText('Sandbox: payments, mail').waitFor();
    await page.getByText('Saved views').click();
    await page.getByText('None yet.').waitFor();
    await page.getByRole('button', { name: 'Save this view' }).click();
    await open('/runs', 'Runs');
    await page.getByText('Saved views').click();
    await page.getByRole('button', { name: 'state is failed · job is report.daily', exact: true }).click();
    await page.waitForURL(/state=failed&job=report\.daily/);
    await page.getByText('Saved views').click();
    expect(await page.getByRole('button', { name: 'Save this view' }).isDisabled()).toBe(true);
    expect(await watched.findBarriers()).toEqual([]);
    await page.getByRole('button', { name: 'Remove “state is failed · job is report.daily”' }).click();
    await page.getByText('None yet.').waitFor();
  });

  const titles: Readonly<Record<string, readonly [en: string, ja: string]>> = {
    '/': ['Overview', '概要'],
    '/runs?state=failed': ['Runs', '実行'],
    '/runs/2': ['render.video', 'render.video'],
    '/jobs?job=report.daily': ['Jobs', 'ジョブ'],
    '/workers': ['Workers', 'ワーカー'],
    '/leases?key=report%2Fdaily': ['Leases', 'リース'],
    '/rollout': ['Rollout', '段階公開'],
    '/guarantees': ['Guarantees', '保証'],
    '/settings': ['Settings', '設定'],
    '/audit': ['Audit', '監査'],
  };

  describe.each([
    [1280, 'light', 'en'],
    [380, 'dark', 'ja'],
  ] as const)('at %i px, %s, %s', (width, theme, language) => {
    beforeAll(async () => {
      await page.evaluate(
        ([wanted, words]) => {
          localStorage.setItem('kannuki-theme', wanted);
          localStorage.setItem('kannuki-language', words);
        },
        [theme, language] as const,
      );
      await page.goto(server.url);
    });

    it.each(Object.keys(titles))('%s has no barrier and fits', async (path) => {
      await page.setViewportSize({ width, height: 900 });
      // As a link goes there: the application and axe are loaded once for each look.
      await page.evaluate((to) => history.pushState({}, '', to), path);
      const title = titles[path]?.[language === 'en' ? 0 : 1] ?? '';
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
      await page.locator('.card').first().waitFor();
      expect(await page.evaluate(() => document.documentElement.lang)).toBe(language);
      expect(await watched.findBarriers()).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      if (width !== 380) return;
      await page.setViewportSize({ width: 320, height: 900 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    });
  });

  it('loads at most 250 kB of script before a page can be used', async () => {
    for (const path of ['/', '/runs', '/jobs']) {
      await page.goto(`${server.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const names = await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .map(({ name }) => new URL(name).pathname)
          .filter((name) => name.startsWith('/assets/') && name.endsWith('.js')),
      );
      expect(names.length).toBeGreaterThan(1);
      const bytes = [...new Set(names)].reduce(
        (sum, name) => sum + gzipSync(readFileSync(`${assets}${basename(name)}`)).length,
        0,
      );
      expect(bytes, path).toBeLessThanOrEqual(250_000);
    }
  });

  it('said nothing to the console but the refusals that were asked for', () => {
    const expected = /status of (400|401|409)/;
    expect(watched.complaints.filter((text) => !expected.test(text))).toEqual([]);
  });
});
