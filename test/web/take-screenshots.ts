/** Every page, light, dark and in Japanese, into a folder. Run by `npm run screenshots`, never by `npm test`. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchChromium } from '../browser/launch-chromium.ts';
import { fillBookings } from './fill-bookings.ts';
import { type LivingServer, startLivingServer } from './living-server.ts';
import { shootEditor } from './shoot-editor.ts';
import { type PictureFormat, takePicture } from './take-picture.ts';

export interface ScreenshotOptions {
  readonly folder: string;
  /** Only pages whose name contains one of these, joined by commas. @default all */
  readonly only?: string;
  /** Also at 380 px. @default false */
  readonly small?: boolean;
  /** @default 'webp' */
  readonly format?: PictureFormat;
}

const looks = [
  { suffix: '', theme: 'light', language: 'en' },
  { suffix: '-dark', theme: 'dark', language: 'en' },
  { suffix: '-ja', theme: 'light', language: 'ja' },
] as const;

export async function takeScreenshots({
  folder,
  only = '',
  small = false,
  format = 'webp',
}: ScreenshotOptions): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const isWanted = (name: string): boolean => only.split(',').some((part) => name.includes(part));
  const server = await startLivingServer(4_000);
  const browser = await launchChromium();
  let taken = 0;
  try {
    const run = async (job: string): Promise<number> => {
      const response = await server.post(`/api/v1/jobs/${job}/runs`, {
        payload: { videoId: 'v_7Q2', preset: 'wall-1080p', customer: { email: 'a@b' }, secret: 'x' },
      });
      return ((await response.json()) as { runId: number }).runId;
    };
    for (const key of ['deploy/kawabe-web', 'report/daily', 'render/v_7Q2', 'project/paper-lanterns'])
      await server.post('/api/v1/leases/acquire', { key, ttlMs: 120_000 });
    const [first] = [await run('render.video'), await run('search.reindex'), await run('stream.follow')];
    await server.post('/api/v1/settings', { key: 'reassign_after_seconds', value: 12, why: 'slow hosts' });
    await server.post('/api/v1/jobs/mail.send/pause', { paused: true, why: 'the provider is down' });
    const booked = await fillBookings(server, server.sql);
    const page = await browser.openTab('about:blank');
    page.on('pageerror', (error) => console.error(error));
    page.setDefaultTimeout(40_000);
    await page.goto(server.signInUrl);
    await page.getByRole('heading', { level: 1 }).waitFor();
    // A write that came too late, as the database records it.
    await server.sql(`insert into kannuki.job_refusals (run_id, worker_id, leader_epoch, version, attempt, wanted, reason)
values (${first}, 1, 40, 3, 1, 'SUCCEEDED', 'wrong-state')`);
    // This browser as a customer, who has just kept a time.
    await page.goto(`${server.url}/book`);
    await page.getByLabel('Title of your film').fill('River of Lights');
    await page.getByLabel('Your name').fill('Hana');
    await page.getByLabel('E-mail').fill('hana@example.jp');
    const keep = async (time: RegExp): Promise<string> => {
      await page.goto(`${server.url}/book`);
      await page.locator('.days button').nth(3).click();
      await page.getByRole('radio', { name: time }).click();
      await page.getByRole('button', { name: 'Keep it for 15 minutes' }).click();
      await page.getByRole('timer').waitFor();
      return new URL(page.url()).pathname;
    };
    const refunded = await keep(/^19:30/);
    await payLate(server, page, Number(refunded.split('/').at(-1)));
    const own = await keep(/^20:30/);
    const pages: readonly (readonly [name: string, path: string])[] = [
      ['overview', '/'],
      ['runs', '/runs?state=failed%2Ctimed-out&due=24h'],
      ['run', `/runs/${first}`],
      ['jobs', '/jobs?job=report.daily'],
      ['workers', '/workers'],
      ['leases', '/leases?key=render%2Fv_7Q2'],
      ['rollout', '/rollout'],
      ['guarantees', '/guarantees'],
      ['settings', '/settings'],
      ['audit', '/audit'],
      ['reservations', '/reservations'],
      ['reservation', `/reservations/${booked.late}`],
      ['races', '/races'],
      ['mailbox', '/mailbox'],
      ['checkout', '/checkout'],
      ['booking', '/book'],
      ['booking-refunded', refunded],
      ['booking-hold', own],
    ];
    await server.run('flags', 'set', '--phase', 'B-1');
    for (const look of isWanted('editor') ? looks : [])
      taken += await shootEditor(browser, server.url, look, { folder, format, widths: small ? [1280, 380] : [1280] });
    for (const { suffix, theme, language } of looks) {
      await page.evaluate(
        ([wanted, words]) => {
          localStorage.setItem('kannuki-theme', wanted);
          localStorage.setItem('kannuki-language', words);
        },
        [theme, language] as const,
      );
      for (const [name, path] of pages.filter(([one]) => isWanted(one))) {
        for (const width of small ? [1280, 380] : [1280]) {
          await page.setViewportSize({ width, height: 800 });
          // The editor keeps itself for offline use; a picture is of what the server sends.
          await page.evaluate(async () => {
            for (const worker of await navigator.serviceWorker.getRegistrations()) await worker.unregister();
          });
          await page.goto(`${server.url}${path}`);
          await page.getByRole('heading', { level: 1 }).waitFor();
          await page.waitForLoadState('load');
          // Plots are drawn a frame after their data, and what fades in takes a quarter of a second.
          await page.waitForTimeout(900);
          if (name === 'booking') await chooseTime(page);
          const file = join(folder, `${name}${width === 1280 ? '' : '-380'}${suffix}`);
          // As high as what is on it: a picture put together from parts would show the fixed bars in its middle.
          const height = await page.evaluate(() => document.documentElement.scrollHeight);
          if (name !== 'runs') await page.setViewportSize({ width, height: Math.min(Math.max(height, 720), 3_000) });
          await page.waitForTimeout(name === 'overview' ? 300 : 50);
          await takePicture(browser, page, file, format);
          taken += 1;
        }
      }
    }
  } finally {
    await browser.close();
    await server.stop();
  }
  return taken;
}

/** The hold runs out between the two presses. */
async function payLate(server: LivingServer, page: Page, id: number): Promise<void> {
  const booking = `${server.url}/api/v1/booking/reservations/${id}`;
  const headers = { origin: server.url };
  const checkout = await page.request.post(`${booking}/checkout`, { headers, data: {} });
  const { sandboxSession } = (await checkout.json()) as { sandboxSession: string };
  const past = "hold_expires_at = now() - interval '2 seconds', created_at = now() - interval '902 seconds'";
  await server.sql(`update kannuki.reservations set ${past} where id = ${id}`);
  const press = `${server.url}/api/v1/sandbox/checkout/${sandboxSession}`;
  await page.request.post(press, { headers, data: { press: 'pay' } });
  await page.request.post(`${booking}/returned`, { headers, data: {} });
}

/** As far as a customer comes before anything is kept. */
async function chooseTime(page: Page): Promise<void> {
  await page.locator('.days button').nth(3).click();
  await page.getByRole('radio', { disabled: false }).first().click();
}
