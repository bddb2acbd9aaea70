/**
 * What each operations page is for, done on the real server and a real database, in both languages: in English on a wide
 * page, in Japanese on a telephone. One server and one browser for all of it; words are those of the page's catalogue.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, type TestBrowser } from '../browser/launch-chromium.ts';
import { hostileStrings } from './hostile-strings.ts';
import { type LivingServer, startLivingServer } from './living-server.ts';
import { type PageLanguage, type PageWords, pageWords } from './page-words.ts';
import { type StoppedWorker, startStoppedWorker } from './stopped-worker.ts';
import { type WatchedPage, watchPage } from './watch-page.ts';

interface Way {
  readonly language: PageLanguage;
  readonly width: number;
  /** Jobs with runs that ended badly, so that neither language is left without any. */
  readonly failed: { readonly many: string; readonly one: string };
}

const ways: readonly Way[] = [
  { language: 'en', width: 1280, failed: { many: 'invoice.export', one: 'report.daily' } },
  { language: 'ja', width: 380, failed: { many: 'mail.send', one: 'render.video' } },
];

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
  // What a lost worker was given stays with it until somebody acts, also where everything is slow.
  await server.post('/api/v1/settings', { key: 'reassign_after_seconds', value: 600 });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

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

describe.each(ways)('in $language at $width px', ({ language, width, failed }) => {
  let words: PageWords;
  const say: PageWords['say'] = (key, values) => words.say(key, values);
  const like: PageWords['like'] = (key) => words.like(key);
  const button = (key: string) => page.getByRole('button', { name: say(key), exact: true });
  const said = (text: string | RegExp): Promise<void> => page.locator('.toast', { hasText: text }).first().waitFor();
  /** On a telephone they lie over the top of the page until they are read. */
  const readToasts = async (): Promise<void> => {
    for (const toast of (await page.locator('.toast button').all()).reverse())
      await toast.click({ timeout: 1_000 }).catch(() => undefined);
  };
  /** Inside the application, as a link does it: only another filter of the same page is loaded anew. */
  const open = async (path: string, title?: string): Promise<void> => {
    await readToasts();
    if (new URL(page.url()).pathname === path.split('?')[0]) await page.goto(`${server.url}${path}`);
    else await page.evaluate((to) => history.pushState({}, '', to), path);
    await page
      .getByRole('heading', { level: 1, ...(title !== undefined && { name: say(title), exact: true }) })
      .waitFor();
  };

  beforeAll(async () => {
    words = await pageWords(language);
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate((chosen) => localStorage.setItem('kannuki-language', chosen), language);
    await page.goto(server.url);
  });

  it('begins with what needs somebody, and with who leads', async () => {
    await page.getByRole('heading', { name: say('overview.needs') }).waitFor();
    await page.locator('.problem', { hasText: 'search.reindex' }).waitFor();
    await page.locator('.leader .big').waitFor();
    await page.locator('.uplot canvas').first().waitFor();
    await page
      .getByRole('link', { name: like('overview.showRuns') })
      .first()
      .click();
    await page.waitForURL(/\/runs\?.*state=failed/);
    await page.goBack();
    await page.getByRole('button', { name: '24 h' }).click();
    await page.waitForURL(/minutes=1440/);
  });

  it('finds runs by the address, and by what their payload says', async () => {
    await open('/runs', 'runs.title');
    const filter = page.getByPlaceholder(/^job:/);
    await filter.fill('job:invoice.export');
    await filter.press('Enter');
    await page.waitForURL(/job=invoice\.export/);
    await page.getByRole('link', { name: say('runState.FAILED') }).click();
    await page.waitForURL(/state=failed/);
    await page.reload();
    await page.getByRole('button', { name: say('runs.remove', { name: 'job' }) }).waitFor();
    await page.getByRole('button', { name: say('runs.remove', { name: 'state' }) }).click();
    await page.goBack();
    await page.getByRole('button', { name: say('runs.remove', { name: 'state' }) }).waitFor();
    await open('/runs', 'runs.title');
    await filter.fill('payload.videoId=v_1234');
    await filter.press('Enter');
    await page.getByText(say('runs.payloadNeedsTime')).waitFor();
    await page.locator('.runs').and(page.locator('[aria-rowcount="2"]')).waitFor();
    await page.getByRole('link', { name: '1234', exact: true }).waitFor();
    // What is hidden is not searched, and the page says so.
    await filter.fill('payload.customer.email=sato@example.com');
    await filter.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'email' }).waitFor();
    await filter.fill('nonsense');
    await filter.press('Enter');
    await page.getByText(say('runs.badFilter', { text: 'nonsense' })).waitFor();
    await open('/runs?job=nobody', 'runs.title');
    await page.getByRole('button', { name: say('runs.drop', { filter: `job ${say('runs.is')} nobody` }) }).click();
    await page.locator('.runs tbody .state').first().waitFor();
  });

  it('acts on everything that matches, after the server has counted it', async () => {
    await open(`/runs?job=${failed.many}&state=failed%2Ctimed-out`, 'runs.title');
    await page.locator('.runs tbody .check').first().click();
    await page.getByRole('button', { name: like('runs.selectAll') }).click();
    await button('runs.retry').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(say('runs.counting')).waitFor({ state: 'detached' });
    const doIt = dialog.getByRole('button', { name: like('runs.retryDo') });
    const count = Number(/\d+/.exec((await doIt.textContent()) ?? '')?.[0]);
    expect(count).toBeGreaterThan(1);
    expect(await watched.findBarriers()).toEqual([]);
    // Somebody else is quicker with all of them: nothing is done with a count that is no longer so.
    const filter = { job: failed.many, state: 'FAILED,TIMED_OUT' };
    await server.post('/api/v1/run-acts', { action: 'retry', filter, expected: count, why: 'quicker' });
    await dialog.getByLabel(say('act.why')).fill('the host is back');
    await doIt.click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByText(say('runs.nothing')).waitFor();
    await button('act.keep').click();
    await open(`/runs?job=${failed.one}&state=failed%2Ctimed-out`, 'runs.title');
    await page.locator('.runs tbody .check').first().click();
    await button('runs.retry').click();
    await dialog.getByRole('button', { name: say('runs.retryDo', { count: 1 }), exact: true }).click();
    await said(say('runs.retried', { done: 1 }));
  });

  it('runs a job with a payload, follows its log, cancels it and runs it again', async () => {
    await open('/runs', 'runs.title');
    await button('runs.runNow').click();
    const dialog = page.getByRole('dialog');
    const payload = dialog.getByLabel(say('jobs.runPayload'));
    await dialog.getByLabel(say('jobs.chooseJob'), { exact: true }).selectOption('stream.follow');
    await payload.fill('{"note": ');
    await dialog.getByRole('alert').waitFor();
    expect(await button('jobs.runDo').isDisabled()).toBe(true);
    await payload.fill('{"note": "from the page", "apiKey": "do-not-show"}');
    await button('jobs.runDo').click();
    await page
      .locator('.toast')
      .getByRole('link', { name: say('run.open') })
      .click();
    await page.getByRole('heading', { level: 1, name: 'stream.follow' }).waitFor();
    await page.getByRole('log').getByText('line 5', { exact: true }).waitFor();
    expect(await page.content()).not.toContain('do-not-show');
    const cancel = async (why: string): Promise<void> => {
      await button('run.cancel').click();
      const asked = page.getByRole('alertdialog');
      await asked.getByLabel(say('act.why')).fill(why);
      await asked.getByRole('button', { name: say('run.cancelDo'), exact: true }).click();
      await page.locator('.page-h .state', { hasText: say('runState.CANCELED') }).waitFor();
    };
    await cancel('seen enough');
    await readToasts();
    await button('run.again').click();
    await dialog.getByRole('button', { name: say('run.retryDo'), exact: true }).click();
    const here = new URL(page.url()).pathname;
    await page.locator('.toast').getByRole('link').click();
    await page.waitForURL((url) => url.pathname !== here);
    await page.getByText(say('run.retryOf', { id: here.split('/').at(-1) ?? '' })).waitFor();
    await readToasts();
    await cancel('once was enough');
  });

  it('reassigns a run that its worker does not start, drains that worker and detaches it', async () => {
    let worker: StoppedWorker | undefined;
    try {
      worker = await startStoppedWorker(server);
      const runId = await worker.giveRun('mail.send');
      await open(`/runs/${runId}`);
      await button('run.reassign').click();
      const asked = page.getByRole('dialog');
      await asked.getByLabel(say('act.why')).fill('it stands still');
      await asked.getByRole('button', { name: say('run.reassignDo'), exact: true }).click();
      await said(say('run.reassigned'));
      await open('/workers', 'workers.title');
      const row = page.getByRole('row').filter({ hasText: `#${worker.id}` });
      await row.getByRole('button', { name: say('workers.drain') }).click();
      await asked.getByRole('button', { name: say('workers.drainDo'), exact: true }).click();
      await row.getByText(say('workers.state_DRAINING'), { exact: true }).waitFor();
      await row.getByRole('button', { name: say('workers.detach') }).click();
      const sure = page.getByRole('alertdialog');
      expect(await sure.getByRole('button', { name: say('workers.detachDo') }).isDisabled()).toBe(true);
      await sure.getByLabel(say('act.whyNeeded')).fill('an exercise');
      await sure.getByRole('button', { name: say('workers.detachDo'), exact: true }).click();
      await row.getByText(say('workers.state_DETACHED'), { exact: true }).waitFor();
      // Whoever else works has done it by now, or does.
      await open(`/runs/${runId}`);
      await page.locator('.page-h .state', { hasText: say('runState.SUCCEEDED') }).waitFor();
    } finally {
      await worker?.end();
    }
  });

  it('defines a job with its next five times in the chosen zone, pauses it and lets it go on', async () => {
    const name = `night.backup-${language}`;
    await open('/jobs', 'jobs.title');
    await button('jobs.make').click();
    const dialog = page.getByRole('dialog');
    const field = (key: string) => dialog.getByLabel(say(key), { exact: true });
    await field('jobs.fieldName').fill(name);
    await field('jobs.fieldWhen').selectOption('cron');
    await field('jobs.fieldCron').fill('61 * * * *');
    await dialog.locator('.next-five .fg').waitFor();
    await field('jobs.fieldCron').fill('30 3 * * *');
    await field('jobs.fieldZone').fill('Asia/Tokyo');
    await expect.poll(() => dialog.locator('.due-times li').allTextContents()).toHaveLength(5);
    for (const text of await dialog.locator('.due-times li').allTextContents()) expect(text).toMatch(/0?3:30:00/);
    expect(await watched.findBarriers()).toEqual([]);
    await field('jobs.fieldCommand').fill('true');
    await button('jobs.save').click();
    await said(say('jobs.saved', { job: name }));
    await page.getByRole('button', { name, exact: true }).click();
    const detail = page.getByRole('complementary', { name });
    await detail.getByText('30 3 * * *').first().waitFor();
    await detail.getByRole('button', { name: say('jobs.pause'), exact: true }).click();
    await said(say('jobs.pausedSaid', { job: name }));
    await detail.getByRole('button', { name: say('jobs.resume'), exact: true }).click();
    await said(say('jobs.resumedSaid', { job: name }));
  });

  it('demotes the leader, and the next one has a higher epoch', async () => {
    const epoch = async (): Promise<number> => {
      const rows = await server.sql<{ token: number }>(`select token from kannuki.fences where resource = 'jobs'`);
      return Number(rows[0]?.token);
    };
    await open('/workers', 'workers.title');
    const before = await epoch();
    await button('workers.demote').click();
    const dialog = page.getByRole('alertdialog');
    const doIt = dialog.getByRole('button', { name: say('workers.demoteDo'), exact: true });
    expect(await doIt.isDisabled()).toBe(true);
    await dialog.getByLabel(say('act.whyNeeded')).fill(`an exercise in ${language}`);
    await doIt.click();
    await said(say('workers.demoted'));
    await expect.poll(epoch, { timeout: 30_000 }).toBeGreaterThan(before);
  });

  it('changes settings, refuses what is out of bounds, and writes it all down', async () => {
    await open('/settings', 'settings.title');
    const field = page.getByLabel(say('settings.reassign_after_seconds'), { exact: true });
    const before = await field.inputValue();
    const after = String(Number(before) + 5);
    await field.fill('-5');
    await button('settings.save').click();
    await page.getByRole('alert').filter({ hasText: '86400' }).waitFor();
    await field.fill(after);
    await page.getByText(say('settings.changed', { value: before })).waitFor();
    await button('settings.save').click();
    await said(say('settings.saved'));
    await open('/audit?action=demote', 'audit.title');
    await page.getByText(`an exercise in ${language}`).waitFor();
    await page.getByRole('button', { name: say('runs.remove', { name: 'action' }) }).click();
    await page.getByText('setting/reassign_after_seconds').first().waitFor();
  });

  it('looks up what must hold', async () => {
    await open('/guarantees', 'guarantees.title');
    await expect.poll(() => page.getByText(say('guarantees.holds'), { exact: true }).count()).toBe(6);
  });

  it('goes anywhere by keys, and tells of changes without being asked', async () => {
    await open('/audit', 'audit.title');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill(say('nav.workers'));
    expect(await watched.findBarriers()).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: say('workers.title') }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.getByRole('heading', { level: 1, name: say('runs.title') }).waitFor();
    await page.locator('.runs tbody .state').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText(say('runs.selected', { count: 1 })).waitFor();
    await page.locator('.live.paused').waitFor();
    const reply = await server.post('/api/v1/jobs/mail.send/runs', {});
    const { runId } = (await reply.json()) as { runId: number };
    // Held while something is selected; shown as soon as it is let go.
    await page.getByText(like('live.news')).waitFor();
    expect(await page.getByRole('link', { name: String(runId), exact: true }).count()).toBe(0);
    await page.keyboard.press('x');
    await page.getByRole('link', { name: String(runId), exact: true }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
  });

  it('shows every lease, hostile names as text, and breaks one after the key was typed', async () => {
    const key = `deploy/${language}`;
    for (const one of [key, 'report/daily', ...hostileStrings.slice(0, 3)])
      await server.post('/api/v1/leases/acquire', { key: one, ttlMs: 600_000 });
    await open('/leases', 'leases.title');
    for (const one of hostileStrings.slice(0, 3)) await page.getByRole('button', { name: one, exact: true }).waitFor();
    await page.getByRole('button', { name: key, exact: true }).click();
    await page.waitForURL(/key=deploy%2F/);
    await button('leases.breakOpen').click();
    const confirm = page.getByRole('alertdialog');
    const doIt = confirm.getByRole('button', { name: say('leases.breakDo'), exact: true });
    expect(await watched.findBarriers()).toEqual([]);
    expect(await doIt.isDisabled()).toBe(true);
    await confirm.getByLabel(say('leases.breakReason')).fill('a test');
    await confirm.getByLabel(say('leases.breakType')).fill(key);
    await doIt.click();
    await page.getByRole('button', { name: key, exact: true }).waitFor({ state: 'detached' });
    await page.getByPlaceholder(say('leases.filterPlaceholder')).fill('nothing/');
    await page.getByText(say('leases.emptyFiltered', { prefix: 'nothing/' })).waitFor();
    await page.reload();
    await button('leases.dropFilter').click();
    await page.getByRole('button', { name: 'report/daily', exact: true }).waitFor();
  });

  it('promotes and rolls back, by the version that was asked about', async () => {
    const flags = async () => (await (await server.get('/api/v1/flags')).json()) as { rollout: { version: number } };
    await open('/rollout', 'rollout.title');
    await page.getByRole('button', { name: say('rollout.promote', { phase: 'A-1' }) }).click();
    // Somebody else is quicker: the page says so and changes nothing.
    await server.post('/api/v1/flags', { action: 'promote', version: (await flags()).rollout.version });
    await page.getByRole('button', { name: say('rollout.doPromote', { phase: 'A-1' }), exact: true }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByRole('button', { name: say('rollout.keep', { phase: 'A-0' }), exact: true }).click();
    await page.getByRole('button', { name: say('rollout.back', { phase: 'A-0' }) }).click();
    await page.getByRole('button', { name: say('rollout.doBack', { phase: 'A-0' }), exact: true }).click();
    await page.getByText(say('rollout.rolledBack'), { exact: true }).first().waitFor();
  });
});

it('said nothing to the console but the refusals that were asked for', () => {
  const expected = /status of (400|401|409)/;
  expect(watched.complaints.filter((text) => !expected.test(text))).toEqual([]);
});
