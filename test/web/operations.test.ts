import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, type TestBrowser } from '../browser/launch-chromium.ts';
import { startServer, type TestServer } from './start-server.ts';
import { type WatchedPage, watchPage } from './watch-page.ts';

const hostile = [
  '<img src=x onerror="window.hacked=1">',
  '"><script>window.hacked=1</script>',
  "');window.hacked=1;//",
];

describe('operations pages', () => {
  let server: TestServer;
  let browser: TestBrowser;
  let page: Page;
  let watched: WatchedPage;

  beforeAll(async () => {
    server = await startServer();
    browser = await launchChromium();
    page = await browser.openTab('about:blank');
    page.setDefaultTimeout(15_000);
    watched = watchPage(page);
    for (const key of ['deploy/web', 'report/daily', ...hostile])
      await server.post('/api/v1/leases/acquire', { key, ttlMs: 600_000 });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('sends a stranger to the door, and lets the link in once', async () => {
    await page.goto(`${server.url}/leases`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await watched.findBarriers()).toEqual([]);
    await page.goto(server.signInUrl);
    await page.getByRole('heading', { name: 'Leases' }).waitFor();
    expect(page.url()).not.toContain('code=');
    const second = await browser.openTab(server.signInUrl);
    await second.getByText('This link was used before').waitFor();
    await second.close();
  });

  it('shows every lease, hostile names as text, and breaks one after the key was typed', async () => {
    await page.goto(`${server.url}/leases`);
    for (const key of hostile) await page.getByRole('button', { name: key, exact: true }).waitFor();
    await page.getByRole('button', { name: 'deploy/web' }).click();
    expect(page.url()).toContain('key=deploy%2Fweb');
    await page.getByRole('button', { name: 'Break the lease…' }).click();
    const confirm = page.getByRole('alertdialog');
    expect(await watched.findBarriers()).toEqual([]);
    expect(await confirm.getByRole('button', { name: 'Break the lease' }).isDisabled()).toBe(true);
    await confirm.getByLabel('Why').fill('a test');
    await confirm.getByLabel('Type the key').fill('deploy/web');
    await confirm.getByRole('button', { name: 'Break the lease' }).click();
    await page.getByRole('button', { name: 'deploy/web' }).waitFor({ state: 'detached' });
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
  });

  it('keeps the filter in the address and says how to drop it', async () => {
    await page.getByPlaceholder('Keys that begin with…').fill('nothing/');
    await page.getByText('Nothing begins with “nothing/”.').waitFor();
    expect(page.url()).toContain('prefix=nothing%2F');
    await page.reload();
    await page.getByRole('button', { name: 'Drop the filter' }).click();
    await page.getByRole('button', { name: 'report/daily' }).waitFor();
  });

  it('promotes and rolls back, by the version that is on the screen', async () => {
    await page.goto(`${server.url}/rollout`);
    await page.getByRole('button', { name: 'Promote to A-1…' }).click();
    // Somebody else is quicker: the page says so and changes nothing.
    await server.post('/api/v1/flags', { action: 'promote', version: 1 });
    await page.getByRole('button', { name: 'Promote to A-1', exact: true }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByRole('button', { name: /^Keep/ }).click();
    await page.getByRole('button', { name: 'Roll back to A-0…' }).click();
    await page.getByRole('button', { name: 'Roll back to A-0', exact: true }).click();
    await page.getByText('rolled back', { exact: true }).waitFor();
  });

  describe.each([
    [1280, 'light', 'en'],
    [380, 'light', 'ja'],
    [1280, 'dark', 'ja'],
    [380, 'dark', 'en'],
  ] as const)('at %i px, %s, %s', (width, theme, language) => {
    it.each(['/leases?key=report%2Fdaily', '/rollout'])('%s has no barrier and fits', async (path) => {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate(
        ([wanted, words]) => {
          localStorage.setItem('kannuki-theme', wanted);
          localStorage.setItem('kannuki-language', words);
        },
        [theme, language] as const,
      );
      await page.goto(`${server.url}${path}`);
      const title = { '/rollout': { en: 'Rollout', ja: '段階公開' } }[path] ?? { en: 'Leases', ja: 'リース' };
      await page.getByRole('heading', { level: 1, name: title[language] }).waitFor();
      expect(await page.evaluate(() => document.documentElement.lang)).toBe(language);
      expect(await watched.findBarriers()).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    });
  });

  it('said nothing to the console but the refusals that were asked for', () => {
    const expected = /status of (401|409)/;
    expect(watched.complaints.filter((text) => !expected.test(text))).toEqual([]);
  });
});
