/**
 * From the address to a page that answers, with nothing kept from before: the three entries, each until its first act does
 * something. The long form takes the median of several loads: `npm run faults -- first-load`.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium, type TestBrowser } from '../browser/launch-chromium.ts';
import { faultRounds, reportFault } from '../process/fault-rounds.ts';
import { type LivingServer, startLivingServer } from './living-server.ts';

const loads = faultRounds('FIRST_LOAD', 1);
const limitMs = 1_000;

type Entry = 'index' | 'book' | 'editor';
const paths: Readonly<Record<Entry, string>> = { index: '/', book: '/book', editor: '/editor' };

declare global {
  /** When the page answered, in its own time since the navigation. */
  var answeredMs: number | undefined;
}

/** Runs in the page before its own scripts: acts with every frame until the act does something. */
function actUntilAnswered(entry: Entry): void {
  const acts: Readonly<Record<Entry, () => boolean>> = {
    index() {
      document.querySelector<HTMLButtonElement>('.page-h .seg button[aria-pressed="false"]')?.click();
      return location.search.includes('minutes=');
    },
    book() {
      const days = [...document.querySelectorAll<HTMLButtonElement>('.days button:not(:disabled)')];
      const last = days.at(-1);
      if (last?.ariaPressed === 'false') last.click();
      return last?.ariaPressed === 'true';
    },
    editor() {
      const text = document.querySelector<HTMLTextAreaElement>('textarea:not([readonly]):not(:disabled)');
      if (text === null) return false;
      text.focus();
      document.execCommand('insertText', false, 'a');
      return text.value.includes('a');
    },
  };
  const look = (): void => {
    if (acts[entry]()) globalThis.answeredMs = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

let server: LivingServer;
let browser: TestBrowser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startLivingServer(), launchChromium()]);
  const page = await browser.openTab(server.signInUrl);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.close();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

it.each(Object.keys(paths) as Entry[])('%s answers soon after its first load', { timeout: 120_000 }, async (entry) => {
  const tookMs: number[] = [];
  const threadMs: number[] = [];
  let requests = 0;
  for (let load = 0; load < loads; load++) {
    const page = await browser.context.newPage();
    const debug = await browser.debug(page);
    await debug.send('Network.enable');
    await debug.send('Network.clearBrowserCache');
    await debug.send('Network.setBypassServiceWorker', { bypass: true });
    await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
    await page.addInitScript(actUntilAnswered, entry);
    await page.goto(`${server.url}${paths[entry]}`);
    await page.waitForFunction(() => globalThis.answeredMs !== undefined, undefined, { timeout: 30_000 });
    tookMs.push(await page.evaluate(() => globalThis.answeredMs ?? Number.NaN));
    const { metrics } = await debug.send('Performance.getMetrics');
    threadMs.push((metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000);
    requests = await page.evaluate(() => performance.getEntriesByType('resource').length);
    await page.close();
  }
  const median = (values: number[]): number => Math.round(values.sort((a, b) => a - b)[values.length >> 1] ?? 0);
  const answeredMs = median(tookMs);
  reportFault({ experiment: 'first-load', entry, loads, answeredMs, threadMs: median(threadMs), requests });
  expect(requests).toBeGreaterThan(2);
  // A speed is judged in the long form only.
  if (loads >= 5) expect(answeredMs).toBeLessThanOrEqual(limitMs);
});
