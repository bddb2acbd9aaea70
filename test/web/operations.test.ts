/**
 * The pages of operations on the real server and a real database: one server and one browser for all of them. The long
 * form has 100,000 runs and measures how they scroll: `npm run faults -- pages`.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, type TestBrowser } from '../browser/launch-chromium.ts';
import { faultRounds, reportFault } from '../process/fault-rounds.ts';
import { hostileStrings } from './hostile-strings.ts';
import { type LivingServer, startLivingServer } from './living-server.ts';
import { type WatchedPage, watchPage } from './watch-page.ts';

const runs = faultRounds('PAGES', 2) * 1_000;
const isLong = runs >= 100_000;
const assets = fileURLToPath(new URL('../../dist/web/assets/', import.meta.url));

/** Twelve rows further with every frame, as somebody who flings the page; how long each frame took. */
function scrollForASecond(): Promise<number[]> {
  return new Promise((done) => {
    const took: number[] = [];
    const startMs = performance.now();
    let lastMs = startMs;
    const step = (nowMs: number): void => {
      took.push(nowMs - lastMs);
      lastMs = nowMs;
      scrollBy(0, 400);
      if (nowMs - startMs < 1_000) requestAnimationFrame(step);
      else done(took);
    };
    requestAnimationFrame(step);
  });
}

describe('operations pages', () => {
  let server: LivingServer;
  let browser: TestBrowser;
  let page: Page;
  let watched: WatchedPage;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startLivingServer(runs), launchChromium()]);
    page = await browser.openTab('about:blank');
    page.setDefaultTimeout(15_000);
    await page.setViewportSize({ width: 1280, height: 900 });
    watched = watchPage(page);
    for (const key of ['deploy/web', 'report/daily', ...hostileStrings.slice(0, 3)])
      await server.post('/api/v1/leases/acquire', { key, ttlMs: 600_000 });
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const open = async (path: string, title: string): Promise<void> => {
    await page.goto(`${server.url}${path}`);
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
  };
  const said = (text: string | RegExp): Promise<void> => page.locator('.toast', { hasText: text }).waitFor();

  it('sends a stranger to the door, and lets the link in once', async () => {
    await page.goto(`${server.url}/leases`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await watched.findBarriers()).toEqual([]);
    await page.goto(server.signInUrl);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(page.url()).not.toContain('code=');
    const second = await browser.openTab(server.signInUrl);
    await second.getByText('This link was used before').waitFor();
    await second.close();
  });

  it('begins with what needs somebody, and with who leads', async () => {
    await page.getByRole('heading', { name: 'Needs a person' }).waitFor();
    await page.getByText('search.reindex fails').waitFor();
    await page.locator('.leader .big').waitFor();
    await page.locator('.uplot canvas').first().waitFor();
    await page
      .getByRole('link', { name: /^Show \d+ runs$/ })
      .first()
      .click();
    await page.waitForURL(/\/runs\?.*state=failed/);
    await page.goBack();
    await page.getByRole('button', { name: '24 h' }).click();
    await page.waitForURL(/minutes=1440/);
  });

  it('finds runs by the address, page by page, and by what their payload says', async () => {
    await open('/runs', 'Runs');
    const filter = page.getByPlaceholder(/^job:/);
    await filter.fill('job:invoice.export');
    await filter.press('Enter');
    await page.waitForURL(/job=invoice\.export/);
    await page.getByRole('link', { name: /^Failed/ }).click();
    await page.waitForURL(/state=failed/);
    await page.reload();
    await page.getByRole('button', { name: 'Remove filter job' }).waitFor();
    await page.getByRole('button', { name: 'Remove filter state' }).click();
    await page.goBack();
    await page.getByRole('button', { name: 'Remove filter state' }).waitFor();
    await open('/runs', 'Runs');
    await filter.fill('payload.videoId=v_1234');
    await filter.press('Enter');
    await page.getByText(/^1 of [\d,]+ match$/).waitFor();
    // What is hidden is not searched, and the page says so.
    await filter.fill('payload.customer.email=sato@example.com');
    await filter.press('Enter');
    await page.getByRole('alert').filter({ hasText: '"email" is hidden' }).waitFor();
    await filter.fill('nonsense');
    await filter.press('Enter');
    await page.getByText('“nonsense” is not a filter').waitFor();
    await open('/runs?job=nobody', 'Runs');
    await page.getByRole('button', { name: 'Drop “job is nobody”' }).click();
    await page.locator('.runs tbody .state').first().waitFor();
  });

  it('draws only the rows that are seen, and loads more on the way down', { timeout: 900_000 }, async () => {
    const startMs = performance.now();
    await open('/runs', 'Runs');
    await page.locator('.runs tbody .state').first().waitFor();
    const firstMs = Math.round(performance.now() - startMs);
    expect(await page.locator('.runs tbody tr').count()).toBeLessThan(80);
    const frames: number[] = [];
    const isAtEnd = async (): Promise<boolean> => {
      if (isLong) frames.push(...(await page.evaluate(scrollForASecond)));
      else await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      return (await page.getByRole('link', { name: '1', exact: true }).count()) === 1;
    };
    await expect.poll(isAtEnd, { timeout: isLong ? 800_000 : 20_000 }).toBe(true);
    expect(await page.locator('.runs tbody tr').count()).toBeLessThan(80);
    if (isLong) {
      const sorted = frames.sort((a, b) => a - b);
      const at = (share: number): number => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
      reportFault({
        experiment: 'pages',
        runs,
        firstMs,
        frames: frames.length,
        p50Ms: at(0.5),
        p95Ms: at(0.95),
        p99Ms: at(0.99),
      });
    } else await page.evaluate(() => scrollTo(0, 0));
  });

  it('acts on everything that matches, after the server has counted it', async () => {
    await open('/runs?job=invoice.export&state=failed%2Ctimed-out', 'Runs');
    await page.locator('.runs tbody .check').first().click();
    await page.getByRole('button', { name: /^Select all \d+ that match$/ }).click();
    await page.getByRole('button', { name: 'Retry as new…' }).click();
    const dialog = page.getByRole('dialog');
    const doIt = dialog.getByRole('button', { name: /^Retry [1-9]\d* runs?$/ });
    const count = Number(/\d+/.exec((await doIt.textContent()) ?? '')?.[0]);
    expect(count).toBeGreaterThan(0);
    expect(await watched.findBarriers()).toEqual([]);
    // Somebody else is quicker with all of them: nothing is done with a count that is no longer so.
    const filter = { job: 'invoice.export', state: 'FAILED,TIMED_OUT' };
    await server.post('/api/v1/run-acts', { action: 'retry', filter, expected: count, why: 'quicker' });
    await dialog.getByLabel(/^Why/).fill('the host is back');
    await doIt.click();
    await dialog.getByRole('alert').filter({ hasText: 'nothing was done' }).waitFor();
    await dialog.getByText('This applies to none of them.').waitFor();
    await dialog.getByRole('button', { name: 'Keep as is' }).click();
    await open('/runs?job=report.daily&state=failed', 'Runs');
    await page.locator('.runs tbody .check').first().click();
    await page.getByRole('button', { name: 'Retry as new…' }).click();
    await dialog.getByRole('button', { name: 'Retry 1 run', exact: true }).click();
    await said('1 runs retried.');
  });

  it('runs a job with a payload, follows its log, cancels it and runs it again', async () => {
    await open('/runs', 'Runs');
    await page.getByRole('button', { name: 'Run a job now…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Job').selectOption('stream.follow');
    await dialog.getByLabel(/^Payload/).fill('{"note": ');
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByRole('button', { name: 'Run now' }).isDisabled()).toBe(true);
    await dialog.getByLabel(/^Payload/).fill('{"note": "from the page", "apiKey": "do-not-show"}');
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await page.locator('.toast').getByRole('link', { name: 'Open it' }).click();
    await page.getByRole('heading', { level: 1, name: 'stream.follow' }).waitFor();
    await page.getByRole('log').getByText('line 5', { exact: true }).waitFor();
    await page.getByText('hidden: apiKey').waitFor();
    expect(await page.content()).not.toContain('do-not-show');
    await page.getByRole('button', { name: 'Cancel…' }).click();
    await page.getByRole('alertdialog').getByLabel(/^Why/).fill('seen enough');
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the run' }).click();
    await said('Told to stop');
    await page.locator('.page-h .state', { hasText: 'Canceled' }).waitFor();
    await page.getByRole('button', { name: 'Run again as new…' }).click();
    await dialog.getByRole('button', { name: 'Run again as new', exact: true }).click();
    // The word of the first run may still be on the page.
    const here = new URL(page.url()).pathname;
    await page.locator(`.toast a:not([href="${here}"])`).click();
    await page.waitForURL((url) => url.pathname !== here);
    await page.getByText(/once more$/).waitFor();
    await page.getByRole('button', { name: 'Cancel…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel the run' }).click();
    await page.locator('.page-h .state', { hasText: 'Canceled' }).waitFor();
  });

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

  it('defines a job with its next five times in the chosen zone, pauses it and lets it go on', async () => {
    await open('/jobs', 'Jobs');
    await page.getByRole('button', { name: 'Define a job…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('night.backup');
    await dialog.getByLabel('When').selectOption('cron');
    await dialog.getByLabel('Cron line').fill('61 * * * *');
    await dialog.locator('.next-five .fg').waitFor();
    await dialog.getByLabel('Cron line').fill('30 3 * * *');
    await dialog.getByLabel('Time zone').fill('Asia/Tokyo');
    await expect.poll(() => dialog.locator('.due-times li').allTextContents()).toHaveLength(5);
    for (const text of await dialog.locator('.due-times li').allTextContents()) expect(text).toContain('03:30:00');
    expect(await watched.findBarriers()).toEqual([]);
    await dialog.getByLabel(/^Command/).fill('true');
    await dialog.getByRole('button', { name: 'Save the job' }).click();
    await said('night.backup is saved.');
    await page.getByRole('button', { name: 'night.backup' }).click();
    const detail = page.getByRole('complementary', { name: 'night.backup' });
    await detail.getByText('cron 30 3 * * *, Asia/Tokyo').waitFor();
    await detail.getByRole('button', { name: 'Pause' }).click();
    await said('night.backup is paused');
    await detail.getByRole('button', { name: 'Resume' }).click();
    await said('night.backup goes on.');
  });

  it('demotes the leader, and the next one has a higher epoch', async () => {
    await open('/workers', 'Workers');
    const epoch = async (): Promise<number> =>
      Number(
        (await server.sql<{ token: number }>(`select token from kannuki.fences where resource = 'jobs'`))[0]?.token,
      );
    const before = await epoch();
    await page.getByRole('button', { name: 'Demote the leader…' }).click();
    const dialog = page.getByRole('alertdialog');
    const doIt = dialog.getByRole('button', { name: 'Demote the leader' });
    expect(await doIt.isDisabled()).toBe(true);
    await dialog.getByLabel(/^Why/).fill('an exercise');
    await doIt.click();
    await said('Demoted.');
    await expect.poll(epoch, { timeout: 30_000 }).toBeGreaterThan(before);
  });

  it('changes settings, refuses what is out of bounds, and writes it all down', async () => {
    await open('/settings', 'Settings');
    await page.getByLabel('Reassign after').fill('-5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'from 0 to 86400' }).waitFor();
    await page.getByLabel('Reassign after').fill('25');
    await page.getByText('changed, was 10').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await said('Saved.');
    await open('/audit?action=demote', 'Audit');
    await page.getByText('“an exercise”').waitFor();
    await page.getByRole('button', { name: 'Remove filter action' }).click();
    await page.getByText('setting/reassign_after_seconds').waitFor();
  });

  it('looks up what must hold', async () => {
    await open('/guarantees', 'Guarantees');
    await expect.poll(() => page.getByText('Holds', { exact: true }).count()).toBe(6);
  });

  it('goes anywhere by keys, and tells of changes without being asked', async () => {
    await open('/audit', 'Audit');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('work');
    expect(await watched.findBarriers()).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Workers' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    await page.locator('.runs tbody .state').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await page.locator('.live.paused').waitFor();
    const { runId } = (await (await server.post('/api/v1/jobs/mail.send/runs', {})).json()) as { runId: number };
    // Held while something is selected; shown as soon as it is let go.
    await page.getByText(/Paused · \d+ new/).waitFor();
    expect(await page.getByRole('link', { name: String(runId), exact: true }).count()).toBe(0);
    await page.keyboard.press('x');
    await page.getByRole('link', { name: String(runId), exact: true }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Go to Overview').waitFor();
    await page.keyboard.press('Escape');
  });

  it('shows every lease, hostile names as text, and breaks one after the key was typed', async () => {
    await open('/leases', 'Leases');
    for (const key of hostileStrings.slice(0, 3)) await page.getByRole('button', { name: key, exact: true }).waitFor();
    await page.getByRole('button', { name: 'deploy/web' }).click();
    await page.waitForURL(/key=deploy%2Fweb/);
    await page.getByRole('button', { name: 'Break the lease…' }).click();
    const confirm = page.getByRole('alertdialog');
    expect(await watched.findBarriers()).toEqual([]);
    expect(await confirm.getByRole('button', { name: 'Break the lease' }).isDisabled()).toBe(true);
    await confirm.getByLabel('Why').fill('a test');
    await confirm.getByLabel('Type the key').fill('deploy/web');
    await confirm.getByRole('button', { name: 'Break the lease' }).click();
    await page.getByRole('button', { name: 'deploy/web' }).waitFor({ state: 'detached' });
    await page.getByPlaceholder('Keys that begin with…').fill('nothing/');
    await page.getByText('Nothing begins with “nothing/”.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Drop the filter' }).click();
    await page.getByRole('button', { name: 'report/daily' }).waitFor();
  });

  it('promotes and rolls back, by the version that is on the screen', async () => {
    await open('/rollout', 'Rollout');
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

  it('takes a hundred hostile strings for nothing but text', async () => {
    // Where they are taken for a page they do run: the look at the end would see it.
    const taken = await browser.openTab('about:blank');
    await taken.setContent(hostileStrings[0] ?? '');
    expect(await taken.evaluate(() => 'hacked' in globalThis)).toBe(true);
    await taken.close();
    const literal = (text: string): string => `'${text.replaceAll('\0', '').replaceAll("'", "''")}'`;
    const strings = hostileStrings.map((text) => text.replaceAll('\0', ''));
    const [run] = await server.sql<{ id: number }>(`select max(id) as id from kannuki.job_run_history`);
    const id = run?.id ?? 0;
    // Wherever somebody's text may come to: payload, result, error, log, reasons, names of jobs, workers and people.
    const payload = Object.fromEntries(strings.map((text, at) => [`${at} ${text}`, text]));
    await server.sql(`update kannuki.job_run_history set payload = ${literal(JSON.stringify(payload))}::json,
      result = ${literal(JSON.stringify(strings))}::json, error = ${literal(strings.join(' '))} where id = ${id}`);
    await server.sql(`insert into kannuki.job_run_logs (run_id, part, lines, attempt, body)
      values (${id}, 900, ${strings.length}, 9, ${literal(strings.map((text) => text.replaceAll('\n', ' ')).join('\n'))})`);
    const values = strings.map((text, at) => `(${at}, ${literal(text)})`).join(', ');
    await server.sql(
      `update kannuki.job_run_history h set error = v.text from (values ${values}) as v(at, text) where h.id = ${id} - 1 - v.at`,
    );
    await server.sql(`insert into kannuki.audit (actor, action, target, before, after, why)
      select text, text, text, to_json(text), null, text from (values ${values}) as v(at, text)`);
    await server.sql(
      `insert into kannuki.workers (name, state) select text, 'DETACHED' from (values ${values}) as v(at, text)`,
    );
    await server.sql(`insert into kannuki.job_definitions (name, queue_id, event)
      select distinct text, 1, text from (values ${values}) as v(at, text) where length(text) < 200`);
    // Every field is given all of them in the long form, every fifth in the short one.
    const given = isLong ? strings : strings.filter((_, at) => at % 5 === 0);
    const paths = ['/', '/runs', `/runs/${id}`, '/jobs', '/workers', '/audit', '/guarantees'];
    for (const path of paths) {
      await page.goto(`${server.url}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('load');
    }
    await open('/audit', 'Audit');
    await page
      .getByText(strings[0] ?? '', { exact: true })
      .first()
      .waitFor();
    await open('/runs', 'Runs');
    const filter = page.getByPlaceholder(/^job:/);
    for (const text of given) {
      await filter.fill(`job:${text}`);
      await filter.press('Enter');
    }
    await page.keyboard.press('Control+k');
    for (const text of given) await page.getByRole('combobox').fill(text);
    await page.keyboard.press('Escape');
    await open('/jobs', 'Jobs');
    await page.getByRole('button', { name: 'Define a job…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('When').selectOption('cron');
    for (const text of given)
      for (const label of ['Name', 'Cron line', 'Time zone']) await dialog.getByLabel(label).fill(text);
    await dialog.getByLabel(/^Command/).fill(strings.join('\n'));
    await dialog.getByRole('button', { name: 'Keep as is' }).click();
    await open('/settings', 'Settings');
    for (const text of given) await page.getByLabel('Silent after').fill(text);
    expect(await page.evaluate(() => 'hacked' in globalThis)).toBe(false);
    await server.sql(`delete from kannuki.job_definitions where event is not null`);
    await server.sql(`delete from kannuki.workers where state = 'DETACHED'`);
  }, 120_000);

  const titles: Readonly<Record<string, readonly [en: string, ja: string]>> = {
    '/': ['Overview', '概要'],
    '/runs?state=failed': ['Runs', '実行'],
    '/runs/2': ['', ''],
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
    it.each(Object.keys(titles))('%s has no barrier and fits', async (path) => {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate(
        ([wanted, words]) => {
          localStorage.setItem('kannuki-theme', wanted);
          localStorage.setItem('kannuki-language', words);
        },
        [theme, language] as const,
      );
      await page.goto(`${server.url}${path}`);
      const title = titles[path]?.[language === 'en' ? 0 : 1] ?? '';
      await page.getByRole('heading', { level: 1, ...(title !== '' && { name: title, exact: true }) }).waitFor();
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
