/**
 * A tab is killed at twelve places inside a save, and the whole browser in a loop of saves. The project always opens,
 * nothing acknowledged is lost, and what is gone is no older than `maxUnsavedMs` and one save.
 * Long form: `npm run faults -- browser-save-kills`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium, type TestBrowser } from '../launch-chromium.ts';
import { type PageServer, servePages, type Told } from '../serve-pages.ts';
import { type AutoSaveTab, openAutoSaveTab } from './open-autosave-tab.ts';

const rounds = Number(process.env.KANNUKI_FAULTS_BROWSER_SAVE_KILLS ?? 0);
const limitMs = rounds > 0 ? 1_200_000 : 60_000;

/** In the order of a save; the new document counts from `isNew` on. */
const points: readonly { readonly point: string; readonly isNew: boolean }[] = [
  { point: 'current: created', isNew: false },
  { point: 'current: half written', isNew: false },
  { point: 'current: written', isNew: false },
  { point: 'history: half written', isNew: false },
  { point: 'history: written', isNew: false },
  { point: 'index: half written', isNew: false },
  { point: 'current: before rename', isNew: false },
  { point: 'current: renamed', isNew: true },
  { point: 'history: renamed', isNew: true },
  { point: 'index: renamed', isNew: true },
  { point: 'surplus: before', isNew: true },
  { point: 'surplus: after', isNew: true },
];

let server: PageServer;
beforeAll(async () => {
  server = await servePages();
});
afterAll(() => server?.close());

describe('a tab that is killed inside a save', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const times = rounds || 1;
  let kills = 0;
  it.each(points)('at "$point", the project opens', { timeout: limitMs }, async ({ point, isNew }) => {
    for (let round = 0; round < times; round++) {
      // Two generations are kept, so every save after the second has one to drop.
      const options = { maxGenerations: 2 };
      const tab = await openAutoSaveTab(browser, server);
      await tab.call('open', options);
      const mark = `[${point} ${round}]`;
      for (const word of [`${mark} a`, ' b', ' c']) {
        await tab.call('type', word);
        expect(await tab.call('flush')).toBe('saved');
      }
      const acknowledged: string = await tab.call('shown');
      expect(await tab.call('saveUntil', point, ' d')).toBe(point);
      await browser.crash(tab.page);
      await tab.page.close();
      kills++;

      const next = await openAutoSaveTab(browser, server);
      const offer = await next.call('open', options);
      expect(offer, `after "${point}"`).toMatchObject({
        source: 'current',
        damaged: false,
        document: isNew ? `${acknowledged} d` : acknowledged,
      });
      const before = await next.call('shown');
      await next.call('type', '.');
      expect(await next.call('flush')).toBe('saved');
      await expectTidy(next);
      // What was current before is a generation now, also when its writer died before it made one.
      const generations = await next.call('history');
      expect(generations).toHaveLength(2);
      expect(await next.call('restoreFrom', generations[1].time)).toBe(before);
      await next.call('dispose');
      await next.page.close();
    }
    expect(kills % times).toBe(0);
    if (point === points.at(-1)?.point && rounds > 0) {
      console.log(`fault-summary ${JSON.stringify({ experiment: 'tab killed inside a save', points: 12, kills })}`);
    }
  });
});

describe('a planted bug', () => {
  it('that removes current.json before the rename is caught', { timeout: limitMs }, async () => {
    const browser = await launchChromium();
    try {
      const tab = await openAutoSaveTab(browser, server);
      await tab.call('open');
      await tab.call('type', 'a');
      await tab.call('flush');
      await tab.call('plantBug');
      await tab.call('saveUntil', 'current: target removed', 'b');
      await browser.crash(tab.page);
      const next = await openAutoSaveTab(browser, server);
      // What every kill above refuses to see.
      expect(await next.call('open')).toMatchObject({ source: 'history', document: 'a' });
    } finally {
      await browser.close();
    }
  });
});

describe('a tab that is killed while somebody types', () => {
  it('loses no more than maxUnsavedMs and one save', { timeout: limitMs }, async () => {
    const browser = await launchChromium();
    const maxUnsavedMs = 1000;
    const losses: number[] = [];
    try {
      for (let round = 0; round < (rounds || 1) * 2; round++) {
        const tab = await openAutoSaveTab(browser, server);
        await tab.call('open', { idleMs: 700, maxUnsavedMs });
        const before: string = await tab.call('shown');
        const from = server.told.length;
        const typed = (): readonly Told[] => server.told.slice(from).filter(({ kind }) => kind === 'typed');
        void tab.page.evaluate(() => window.loaded.typeForEver(20)).catch(() => undefined);
        // Long enough for some saves, and ending anywhere between two of them.
        const wanted = 60 + Math.floor(Math.random() * 80);
        await toldUntil(() => typed().length >= wanted);
        await browser.crash(tab.page);
        const words = typed();
        await tab.page.close();

        const next = await openAutoSaveTab(browser, server);
        const { document } = await next.call('open');
        const kept = document.slice(before.length).split(' ').length - 1;
        expect(document).toBe(before + Array.from({ length: kept }, (_, at) => `${at + 1} `).join(''));
        // The last words may not have been told, and those that were may have overtaken each other.
        const last = words.reduce((newest, word) => (Number(word.n) > Number(newest.n) ? word : newest));
        const firstLost = words.find(({ n }) => Number(n) === kept + 1);
        const lostMs = firstLost ? Number(last.atMs) - Number(firstLost.atMs) : 0;
        losses.push(lostMs);
        // A second more for the timers of a machine that has other things to do.
        expect(lostMs).toBeLessThanOrEqual(maxUnsavedMs + Number(last.longestMs) + 1000);
        await next.call('dispose');
        await next.page.close();
      }
    } finally {
      await browser.close();
    }
    if (rounds > 0) {
      const summary = {
        experiment: 'tab killed while typing',
        rounds: losses.length,
        worstLossMs: Math.max(...losses),
      };
      console.log(`fault-summary ${JSON.stringify(summary)}`);
    }
  });
});

describe('a browser that is killed in a loop of saves', () => {
  it('has the last acknowledged document after the restart', { timeout: limitMs }, async () => {
    const profile = mkdtempSync(join(tmpdir(), 'kannuki-profile-'));
    const seen: number[] = [];
    try {
      for (let round = 0; round < (rounds || 1); round++) {
        const browser = await launchChromium({ profile });
        const from = server.told.length;
        const newest = (kind: string): number =>
          server.told.slice(from).reduce((n, told) => (told.kind === kind ? Number(told.n) : n), 0);
        try {
          const tab = await openAutoSaveTab(browser, server);
          await tab.call('open');
          void tab.page.evaluate(() => window.loaded.saveForEver()).catch(() => undefined);
          const wanted = 5 + Math.floor(Math.random() * 20);
          await toldUntil(() => newest('saved') >= wanted);
        } finally {
          await browser.kill();
        }
        const acknowledged = newest('saved');
        const begun = newest('begun');

        const again = await launchChromium({ profile });
        try {
          const tab = await openAutoSaveTab(again, server);
          const { document, source, damaged } = await tab.call('open');
          expect({ source, damaged }).toEqual({ source: 'current', damaged: false });
          const n = Number(/^text (\d+) /.exec(document)?.[1]);
          expect(document).toBe(`text ${n} `.repeat(500));
          expect(n).toBeGreaterThanOrEqual(acknowledged);
          expect(n).toBeLessThanOrEqual(begun);
          await tab.call('type', '.');
          expect(await tab.call('flush')).toBe('saved');
          await expectTidy(tab);
          seen.push(n - acknowledged);
          await tab.call('dispose');
        } finally {
          await again.close();
        }
      }
    } finally {
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    }
    if (rounds > 0) {
      const summary = { experiment: 'browser killed in a loop of saves', kills: seen.length, acknowledgedLost: 0 };
      console.log(`fault-summary ${JSON.stringify(summary)}`);
    }
  });
});

/** Resolves when what tabs have told so far makes `is` true. */
function toldUntil(is: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    server.onTold(() => {
      if (is()) resolve();
    });
  });
}

/** Nothing is left over, everything is in `project/`, and the index says what is there. */
async function expectTidy(tab: AutoSaveTab): Promise<void> {
  const paths: readonly string[] = await tab.call('walk');
  expect(paths.filter((path) => !path.startsWith('project/'))).toEqual([]);
  expect(paths.filter((path) => path.includes('.tmp-'))).toEqual([]);
  const index = JSON.parse(await tab.call('read', 'project/autosave/index.json'));
  const { token, seq } = JSON.parse(await tab.call('read', 'project/autosave/current.json'));
  expect(index).toMatchObject({ token, seq });
  const history: readonly unknown[] = await tab.call('history');
  expect(index.generations).toEqual([...history].reverse());
  expect(history[0]).toMatchObject({ token, seq });
}
