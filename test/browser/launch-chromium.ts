/**
 * Chromium out of an npm package, with flags of our own: the package's list switches off site isolation and web
 * security and runs everything in one process, where no tab could crash alone.
 *
 * Every tab is one of the same profile, and each has a process of its own to crash, freeze or stop. The profile folder
 * can be given back to a second launch: that is how a whole browser is killed and started again.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { reportComponent } from '../servers/report-component.ts';
import { unpackChromium } from './unpack-chromium.ts';

export interface LaunchOptions {
  /** A profile folder to use, and to leave in place. @default a fresh one, removed on close */
  readonly profile?: string;
  /** Background tabs keep their timers: for races, where every tab is to be equally quick. @default true */
  readonly unthrottled?: boolean;
  readonly flags?: readonly string[];
}

export interface TestBrowser {
  readonly context: BrowserContext;
  readonly profile: string;
  /** A tab that has loaded `url`. */
  openTab(url: string): Promise<Page>;
  /** The tab's process is gone, without a farewell. */
  crash(page: Page): Promise<void>;
  /**
   * Stops the tab's process, as a suspended machine or a frozen tab stands still; false: it goes on. (This browser
   * without windows does not freeze pages by itself: for it every page is visible.)
   */
  setStopped(page: Page, stopped: boolean): Promise<void>;
  /** Storage that the origin of the tab may use from now on. */
  setQuota(page: Page, bytes: number): Promise<void>;
  /** A session of the tab's debugging protocol, for what has no method here. */
  debug(page: Page): Promise<CDPSession>;
  /** The operating system's processes: the browser's own, and those of its pages. */
  processes(): { readonly browser: number; readonly pages: readonly number[] };
  /** kill -9 of the browser and everything it started. The profile stays. */
  kill(): Promise<void>;
  close(): Promise<void>;
}

const flags: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // One process per tab, although all are of one site: a crash is then one tab's own.
  '--process-per-tab',
];
const unthrottledFlags: readonly string[] = [
  '--disable-background-timer-throttling',
  '--disable-renderer-backgrounding',
  '--disable-backgrounding-occluded-windows',
];

/** Starts the browser and reports it as a component that took part. */
export async function launchChromium(options: LaunchOptions = {}): Promise<TestBrowser> {
  const { unthrottled = true } = options;
  const profile = options.profile ?? mkdtempSync(join(tmpdir(), 'kannuki-profile-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: await unpackChromium(),
    headless: true,
    // Without one it takes the locale of the shell, such as C.UTF-8, of which it makes a language that none is.
    locale: 'en-US',
    args: [...flags, ...(unthrottled ? unthrottledFlags : []), ...(options.flags ?? [])],
    // Playwright would switch off the back/forward cache and throttling, which are to be seen at work.
    ignoreDefaultArgs: [
      '--disable-back-forward-cache',
      '--disable-background-timer-throttling',
      '--disable-backgrounding-occluded-windows',
      '--disable-renderer-backgrounding',
    ],
  });
  reportComponent({ component: `chromium ${context.browser()?.version() ?? '(package)'}`, status: 'took part' });
  const sessions = new WeakMap<Page, Promise<CDPSession>>();
  const stoppable = new WeakMap<Page, number>();

  const debug = (page: Page): Promise<CDPSession> => {
    const session = sessions.get(page) ?? context.newCDPSession(page);
    sessions.set(page, session);
    return session;
  };
  return {
    context,
    profile,
    async openTab(url) {
      const page = await context.newPage();
      await page.goto(url);
      return page;
    },
    async crash(page) {
      const gone = page.waitForEvent('crash');
      // The answer never comes: whoever would send it is gone.
      (await debug(page)).send('Page.crash').catch(() => undefined);
      await gone;
    },
    async setStopped(page, stopped) {
      const pid = stoppable.get(page) ?? (await findProcess(page, processesOf(profile).pages));
      stoppable.set(page, pid);
      process.kill(pid, stopped ? 'SIGSTOP' : 'SIGCONT');
    },
    async setQuota(page, bytes) {
      await (await debug(page)).send('Storage.overrideQuotaForOrigin', {
        origin: new URL(page.url()).origin,
        quotaSize: bytes,
      });
    },
    debug,
    processes: () => processesOf(profile),
    async kill() {
      const { browser, pages } = processesOf(profile);
      const closed = new Promise<void>((done) => context.once('close', () => done()));
      for (const pid of [browser, ...pages]) killProcess(pid);
      await closed;
    },
    async close() {
      await context.close();
      if (options.profile === undefined) rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** The process that works while the page does. The protocol does not say which one is a tab's. */
async function findProcess(page: Page, candidates: readonly number[]): Promise<number> {
  const before = new Map(candidates.map((pid) => [pid, cpuTicks(pid)]));
  await page.evaluate(() => {
    const endMs = performance.now() + 300;
    while (performance.now() < endMs);
  });
  const worked = (pid: number): number => cpuTicks(pid) - (before.get(pid) ?? 0);
  const [busiest] = [...candidates].sort((a, b) => worked(b) - worked(a));
  if (busiest === undefined || worked(busiest) === 0) throw new Error('No process of the browser belongs to this tab.');
  return busiest;
}

function cpuTicks(pid: number): number {
  const fields = (readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '').split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It went with its parent.
  }
}

/** The processes of a profile, by the folder on their command line (Linux only, as is the packaged browser). */
function processesOf(profile: string): { readonly browser: number; readonly pages: readonly number[] } {
  const own = readProcesses().filter(({ command }) => command.includes(profile));
  const browser = own.find(({ command }) => !command.includes('--type='));
  if (!browser) throw new Error(`No browser runs with the profile ${profile}.`);
  const family = new Set([browser.pid]);
  const all = readProcesses();
  for (let grown = true; grown; ) {
    grown = false;
    for (const { pid, parent } of all) {
      if (family.has(parent) && !family.has(pid)) {
        family.add(pid);
        grown = true;
      }
    }
  }
  const pages = all.filter(({ pid, command }) => family.has(pid) && command.includes('--type=renderer'));
  return { browser: browser.pid, pages: pages.map(({ pid }) => pid) };
}

interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

function readProcesses(): readonly RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        // The name in brackets may hold spaces; what follows it does not.
        const [, parent] = (readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1] ?? '').split(' ');
        return [{ pid: Number(name), parent: Number(parent), command }];
      } catch {
        // It ended between the two looks.
        return [];
      }
    });
}
