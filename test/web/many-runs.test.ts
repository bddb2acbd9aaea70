/**
 * Many runs on the page: only what is seen is drawn, scrolling stays smooth, filters answer soon, and a search in payloads
 * is bounded. The long form has 100,000 runs and measures: `npm run faults -- pages`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, type TestBrowser } from '../browser/launch-chromium.ts';
import { faultRounds, reportFault } from '../process/fault-rounds.ts';
import { type LivingServer, startLivingServer } from './living-server.ts';

const runs = faultRounds('PAGES', 2) * 1_000;
const isLong = runs > 2_000;
/** The rows of a screen and those kept ready above and below it. */
const drawnMax = 80;

interface Scrolled {
  readonly framesMs: number[];
  readonly tasksMs: number[];
}

/** Ten rows further with every frame, as somebody who flings the page: how long frames took, and tasks of over 50 ms. */
function scroll(frames: number): Promise<Scrolled> {
  return new Promise((done) => {
    const framesMs: number[] = [];
    const tasksMs: number[] = [];
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) tasksMs.push(duration);
    });
    observer.observe({ type: 'longtask' });
    let lastMs = performance.now();
    const step = (nowMs: number): void => {
      framesMs.push(nowMs - lastMs);
      lastMs = nowMs;
      scrollBy(0, 340);
      if (framesMs.length < frames) requestAnimationFrame(step);
      else {
        observer.disconnect();
        done({ framesMs, tasksMs });
      }
    };
    requestAnimationFrame(step);
  });
}

/** What the last look for runs took, from the page's own clock: sent, answered. */
function lastAnswerMs(): number {
  const looks = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/v1/runs?'));
  return Math.round(looks.at(-1)?.duration ?? Number.NaN);
}

describe('many runs', () => {
  let server: LivingServer;
  let browser: TestBrowser;
  let page: Page;

  beforeAll(async () => {
    [server, browser] = await Promise.all([startLivingServer(runs), launchChromium()]);
    page = await browser.openTab(server.signInUrl);
    page.setDefaultTimeout(60_000);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const drawn = (): Promise<number> => page.locator('.runs tbody tr').count();
  const openRuns = async (search = ''): Promise<void> => {
    await page.goto(`${server.url}/runs${search}`);
    await page.locator('.runs tbody .state').first().waitFor();
  };

  it('draws only the rows that are seen, and loads more on the way down', { timeout: 1_500_000 }, async () => {
    await openRuns();
    expect(await drawn()).toBeLessThan(drawnMax);
    const debug = await browser.debug(page);
    await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
    const cpuMs = async (): Promise<number> =>
      ((await debug.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) *
      1_000;
    const measured: Record<string, object> = {};
    const measure = async (where: string): Promise<void> => {
      const before = await cpuMs();
      const { framesMs, tasksMs } = await page.evaluate(scroll, isLong ? 120 : 10);
      const sorted = framesMs.sort((a, b) => a - b);
      const at = (share: number): number => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
      measured[where] = {
        rows: Number(/[\d,]+ of/.exec((await page.locator('.card-f').textContent()) ?? '')?.[0].replace(/\D/g, '')),
        p50Ms: at(0.5),
        p95Ms: at(0.95),
        longestTaskMs: Math.round(Math.max(0, ...tasksMs)),
        threadMsPerFrame: Math.round((await cpuMs()) - before) / framesMs.length,
      };
      expect(await drawn()).toBeLessThan(drawnMax);
    };
    await measure('start');
    const isAtEnd = async (): Promise<boolean> => {
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      return (await page.locator('.runs tbody a[href="/runs/1"]').count()) === 1;
    };
    const startMs = performance.now();
    await expect.poll(isAtEnd, { timeout: isLong ? 1_200_000 : 20_000, interval: 20 }).toBe(true);
    const allMs = Math.round(performance.now() - startMs);
    expect(await drawn()).toBeLessThan(drawnMax);
    // What is new waits while somebody reads far down, and is not fetched again page by page.
    await page.locator('.live.paused').waitFor();
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight / 2));
    await measure('middle');
    await page.locator('.live.paused').click();
    await page.locator('.live:not(.paused)').waitFor();
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
    if (isLong) reportFault({ experiment: 'pages', runs, allMs, ...measured });
  });

  it('answers every filter soon', { timeout: 300_000 }, async () => {
    const filters = {
      state: '?state=failed',
      job: '?job=invoice.export',
      worker: '?worker=1',
      time: '?due=1h',
      all: '?state=failed&job=report.daily&worker=1&due=24h',
    };
    const answeredMs: Record<string, number> = {};
    for (const [name, search] of Object.entries(filters)) {
      const tookMs: number[] = [];
      for (let round = 0; round < (isLong ? 5 : 1); round++) {
        await openRuns(search);
        tookMs.push(await page.evaluate(lastAnswerMs));
      }
      answeredMs[name] = tookMs.sort((a, b) => a - b)[Math.floor(tookMs.length / 2)] ?? Number.NaN;
      expect(answeredMs[name]).toBeGreaterThan(0);
    }
    if (!isLong) return;
    reportFault({ experiment: 'pages-filters', runs, answeredMs });
    for (const ms of Object.values(answeredMs)) expect(ms).toBeLessThan(200);
  });

  it('looks through payloads of a time only, and is stopped after five seconds', { timeout: 60_000 }, async () => {
    const asked = page.waitForRequest(/\/api\/v1\/runs\?.*payload=/);
    await openRuns('?payload=videoId%3Dv_1900');
    expect(new URL((await asked).url()).searchParams.has('fromMs')).toBe(true);
    expect((await server.get('/api/v1/runs?payload=videoId%3Dv_1900')).status).toBe(400);
    if (!isLong) return;
    // Somebody keeps the table, so that the search stands still until the server ends it.
    const kept = server.database.transaction(async (tx) => {
      await tx.query({ text: `lock table "${server.database.schema}".job_run_history in access exclusive mode` });
      await sleep(12_000);
    });
    const answered = page.waitForResponse(/\/api\/v1\/runs\?.*payload=/);
    await page.goto(`${server.url}/runs?payload=videoId%3Dv_1901&due=24h`);
    const response = await answered;
    await response.finished();
    expect(response.status()).toBe(422);
    const endedMs = Math.round(response.request().timing().responseEnd);
    await page.getByRole('alert').first().waitFor();
    await kept;
    reportFault({ experiment: 'pages-search', endedMs });
    expect(endedMs).toBeGreaterThan(4_500);
    expect(endedMs).toBeLessThan(isLong ? 10_000 : 30_000);
  });
});
