/**
 * A hundred hostile strings through every field of every page, and shown by every page: none runs, none becomes an element,
 * and neither the console nor the content policy has anything to say. The short form gives each field every tenth of them,
 * the next field the next: `npm run faults -- hostile-strings` gives all to each.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allPages } from '../../web/src/shell/pages.ts';
import { launchChromium, type TestBrowser } from '../browser/launch-chromium.ts';
import { faultRounds, reportFault } from '../process/fault-rounds.ts';
import { attackFields, attackPage } from './attack-fields.ts';
import { hostileStrings } from './hostile-strings.ts';
import { type LivingServer, startLivingServer } from './living-server.ts';
import { type Planted, plantStrings } from './plant-strings.ts';
import { type WatchedPage, watchPage } from './watch-page.ts';

/**
 * Every field of the source, by file and in the order it has there: what a reader calls it. A field that is not listed here
 * fails the first test; one that is listed and not met fails the last.
 */
const fields: Readonly<Record<string, readonly string[]>> = {
  'book/field.tsx': ['Title of your film'],
  'editor/scene-paper.tsx': [
    'Title of the storyboard',
    'Name of the scene',
    'Length in seconds',
    'Sound',
    'Scene text',
  ],
  'pages/audit/audit-page.tsx': ['Add a filter: actor:'],
  'pages/bookings/reservations-page.tsx': ['Find a title, a name, an address or a number…'],
  'pages/bookings/sandbox-page.tsx': ['Copies of each'],
  'pages/bookings/story-acts.tsx': ['Address of the film (optional)'],
  'pages/jobs/job-form.tsx': ['Name', 'Command', 'Address', 'Retries', 'Time limit'],
  'pages/jobs/run-now-dialog.tsx': ['Payload'],
  'pages/jobs/schedule-fields.tsx': ['Cron line'],
  'pages/leases/break-dialog.tsx': ['Why', 'Type the key'],
  'pages/leases/leases-page.tsx': ['Keys that begin with…'],
  'pages/runs/filter-bar.tsx': ['Add a filter: job:'],
  'pages/settings/settings-page.tsx': ['Reassign after'],
  'pages/sign-in/sign-in-page.tsx': ['Code'],
  'parts/act-dialog.tsx': ['Why'],
  'shell/command-palette.tsx': ['Search or jump'],
};

const source = fileURLToPath(new URL('../../web/src/', import.meta.url));
// The database takes everything but the zero character.
const strings = hostileStrings.map((text) => text.replaceAll('\0', ''));

/** How many strings lie between two that a field is given. */
const stride = faultRounds('HOSTILE_STRINGS', 25);
let fieldsMet = 0;
const nextStrings = (): readonly string[] => {
  const from = fieldsMet++ % stride;
  return strings.filter((_, index) => index % stride === from);
};

/** Elements and attributes that no page of ours has. */
const foreign = [
  ...['script:not([src])', 'iframe', 'object', 'embed', 'base', 'math', 'video', 'meta[http-equiv]', 'img[src=x]'],
  ...['onbegin', 'onerror', 'onfocus', 'onload', 'ontoggle', 'srcdoc'].map((name) => `[${name}]`),
  ...['href', 'src', 'action', 'data'].map((name) => `[${name}^="javascript:" i]`),
].join(', ');

/** Runs in every page before anything of it. */
function tellOnItself(): void {
  Object.defineProperty(globalThis, 'hacked', { set: () => console.error('a hostile string ran') });
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    console.error(`refused by the policy: ${violatedDirective} ${blockedURI}`),
  );
}

/** Runs in the page: what reaches beyond its edge, if it can be scrolled sideways. */
function findTooWide(): readonly string[] {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  return [...document.body.querySelectorAll('*')]
    .filter((element) => element.getBoundingClientRect().right > clientWidth)
    .map((element) => `${element.tagName} ${element.getAttribute('class')} ${element.textContent?.slice(0, 30)}`)
    .slice(0, 6);
}

describe('a hundred hostile strings', { timeout: 120_000 }, () => {
  let server: LivingServer;
  let browser: TestBrowser;
  let page: Page;
  let watched: WatchedPage;
  let planted: Planted;
  const met = new Set<string>();

  beforeAll(async () => {
    [server, browser] = await Promise.all([startLivingServer(200), launchChromium()]);
    await browser.context.addInitScript(tellOnItself);
    page = await browser.openTab('about:blank');
    page.setDefaultTimeout(60_000);
    watched = watchPage(page);
    await server.run('flags', 'set', '--phase', 'B-1');
    planted = await plantStrings(server, page, strings);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const open = async (path: string): Promise<void> => {
    await page.goto(`${server.url}${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  };
  /** A page that was refused its data for now says so, and has them when it is opened again: that is not what is asked here. */
  const waitToRead = async (text: string, times = 3): Promise<void> => {
    try {
      await page.getByText(text, { exact: false }).first().waitFor({ timeout: 20_000 });
    } catch (cause) {
      const said = (await page.locator('body').textContent()) ?? '';
      if (times === 1)
        throw new Error(`${page.url()} does not show ${text}. It says: ${said.slice(0, 1_000)}`, { cause });
      await page.reload();
      await waitToRead(text, times - 1);
    }
  };
  /** No element of a string, and the strings where they were planted are there to be read. */
  const expectText = async (readable: string | undefined): Promise<void> => {
    if (readable !== undefined) await waitToRead(readable);
    const found = await page.locator(foreign).evaluateAll((all) => all.map(({ outerHTML }) => outerHTML));
    expect(found, page.url()).toEqual([]);
  };
  /** One of the strings is a word of five thousand letters: nothing it stands in may be wider than the page. */
  const expectToFit = async (): Promise<void> => {
    const tooWide: Record<string, readonly string[]> = {};
    for (const width of [320, 380, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      const found = await page.evaluate(findTooWide);
      if (found.length > 0) tooWide[`${page.url()} at ${width}`] = found;
    }
    expect(tooWide).toEqual({});
  };
  /** `button`: it comes with data that is fetched. */
  const attack = async (path: string, readable?: string, button?: string): Promise<void> => {
    await open(path);
    await expectText(readable);
    await expectToFit();
    if (button !== undefined) await page.getByRole('button', { name: button }).first().waitFor();
    for (const name of await attackPage(page, nextStrings)) met.add(name);
    await expectText(undefined);
  };

  it('knows every field of the source', () => {
    const counts = new Map<string, number>();
    for (const name of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.tsx')) continue;
      const written = readFileSync(`${source}${name}`, 'utf8').match(/<(?:input|textarea)\b[^>]*?(?:\/>|>\s)/gs) ?? [];
      const texts = written.filter((field) => !/type="(?:checkbox|radio|hidden)"/.test(field));
      if (texts.length > 0) counts.set(name, texts.length);
    }
    expect(Object.fromEntries(counts)).toEqual(
      Object.fromEntries(Object.entries(fields).map(([name, { length }]) => [name, length])),
    );
  });

  it('would run if a page took them for more than text', async () => {
    const taken = await browser.openTab('about:blank');
    const complaints = watchPage(taken).complaints;
    await taken.setContent(strings[0] ?? '');
    await expect.poll(() => complaints.join()).toContain('a hostile string ran');
    await taken.close();
  });

  it('at the door', async () => {
    await attack('/sign-in');
    // Submitted, too; not all of them, since the door counts.
    await page.getByLabel('Code').fill(strings[0] ?? '');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.goto(server.signInUrl);
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  const script = strings[0] ?? '';
  const shows = ['/runs', '/jobs', '/leases', '/reservations', '/races', '/mailbox', '/audit'];

  it.each(allPages.map(({ to }) => to))('in the fields of %s, its dialogs and its rows', async (path) => {
    await attack(path, shows.includes(path) ? script : undefined);
  });

  it.each<readonly [of: string, path: (of: Planted) => string, button: string]>([
    ['a run that ended', ({ endedId }) => `/runs/${endedId}`, 'Run again as new…'],
    ['a run that goes on', ({ runningId }) => `/runs/${runningId}`, 'Cancel…'],
    ['a lease', ({ leaseKey }) => `/leases?${new URLSearchParams({ key: leaseKey })}`, 'Break the lease…'],
    ['a reservation', ({ failedId }) => `/reservations/${failedId}`, 'Mark as fixed…'],
  ])('in the fields about %s', async (_, path, button) => {
    await attack(path(planted), script, button);
  });

  it('in a mail that is one long word, opened', async () => {
    await open('/mailbox');
    await page
      .locator('.mails button')
      .filter({ hasText: 'x'.repeat(5_000) })
      .click();
    await page.locator('.mailp').getByText('x'.repeat(5_000)).waitFor();
    await expectToFit();
  });

  it('in the fields about a job, about several runs, and of the palette', async () => {
    await attack('/jobs?job=report.daily', undefined, 'Edit…');
    await open('/runs?state=failed');
    await page.locator('.runs tbody .check').first().click();
    for (const name of await attackPage(page, nextStrings)) met.add(name);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog');
    await palette.waitFor();
    for (const name of await attackFields(palette, nextStrings)) met.add(name);
  });

  it('in the fields of a customer', async () => {
    await attack('/book');
    await attack(`/book/${planted.heldId}`, script);
    await attack('/book/mine', script);
    const checkout = await page.evaluate(async (booking) => {
      const headers = { 'content-type': 'application/json' };
      const path = `/api/v1/booking/reservations/${booking}/checkout`;
      return (await (await fetch(path, { method: 'POST', headers, body: '{}' })).json()) as { url: string };
    }, planted.heldId);
    await attack(checkout.url, script);
    await attack('/checkout', script);
  });

  it('in the fields of the editor, saved, opened again, compared and read by another tab', async () => {
    const all = strings.join('\n').replace(/\r\n?/g, '\n');
    await open('/editor');
    const text = page.getByRole('textbox', { name: 'Scene text' });
    await text.waitFor();
    for (const name of await attackFields(page.locator('main'), nextStrings)) met.add(name);
    for (const name of ['Title of the storyboard', 'Name of the scene', 'Sound'])
      await page.getByLabel(name).fill(all.replaceAll('\n', ' '));
    await text.fill(all);
    await page.keyboard.press('Control+s');
    await page.getByText(/^Saved \d/).waitFor();
    await text.fill(`${all}\n${script}`);
    await page.keyboard.press('Control+s');
    await page.getByRole('button', { name: 'History', exact: true }).click();
    await page.locator('.gen').nth(1).click();
    await page.locator('.diff ins').first().waitFor();
    await expectText(undefined);
    await page.reload();
    expect(await text.inputValue()).toBe(`${all}\n${script}`);
    const reader = await browser.openTab(`${server.url}/editor`);
    await reader.getByRole('region', { name: 'Scene text' }).getByText(script).first().waitFor();
    expect(await reader.locator(foreign).count()).toBe(0);
    await reader.close();
  });

  it('met every field, and nothing ran, was refused by the policy or complained', () => {
    const wanted = Object.values(fields).flat();
    const names = [...met].map((name) => name.toLowerCase());
    expect(wanted.filter((name) => !names.some((one) => one.includes(name.toLowerCase())))).toEqual([]);
    reportFault({ experiment: 'hostile-strings', fields: fieldsMet, strings: strings.length, stride });
    // The console notes what the server refuses, and what a field for numbers cannot hold.
    const noted = /responded with a status of (400|401|404|409|422|429)|cannot be parsed, or is out of range/;
    expect(watched.complaints.filter((text) => !noted.test(text))).toEqual([]);
  });
});
