/** Firefox, where the machine has one: the second engine. Driven over WebDriver BiDi by puppeteer-core. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { launch, type Page } from 'puppeteer-core';
import { reportComponent } from '../servers/report-component.ts';

export interface TestFirefox {
  openTab(url: string): Promise<Page>;
  close(): Promise<void>;
}

/** The program, from `KANNUKI_FIREFOX` or the path; undefined where there is none, which is reported as a skip. */
export function findFirefox(): string | undefined {
  const { KANNUKI_FIREFOX: given, PATH = '' } = process.env;
  const places = PATH.split(delimiter).flatMap((folder) => [join(folder, 'firefox'), join(folder, 'firefox-esr')]);
  const found = [...(given ? [given] : []), ...places].find((path) => existsSync(path));
  if (found === undefined)
    reportComponent({ component: 'firefox', status: 'skipped', reason: 'not installed', avoidable: false });
  return found;
}

export async function launchFirefox(executablePath: string): Promise<TestFirefox> {
  const profile = mkdtempSync(join(tmpdir(), 'kannuki-firefox-'));
  const browser = await launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    userDataDir: profile,
    protocolTimeout: 1_200_000,
    // Background tabs keep their timers: every tab of a race is to be equally quick.
    extraPrefsFirefox: { 'dom.min_background_timeout_value': 4 },
  });
  reportComponent({ component: await browser.version(), status: 'took part' });
  return {
    async openTab(url) {
      const page = await browser.newPage();
      await page.goto(url);
      return page;
    },
    async close() {
      await browser.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
