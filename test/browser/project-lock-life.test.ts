/** What befalls tabs that hold the lock: closed, crashed, reloaded, frozen, stopped, cached, asked, overruled. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { emptyRecord, encodeSlot } from '../../src/browser/project-lock/lock-record.ts';
import { launchChromium, type TestBrowser } from './launch-chromium.ts';
import { type PageServer, servePages } from './serve-pages.ts';

let browser: TestBrowser;
let server: PageServer;
const pages: Page[] = [];

beforeAll(async () => {
  server = await servePages();
  browser = await launchChromium();
});
afterEach(async () => {
  const survey = await openTab();
  // Whatever happened: nothing was written outside project/.
  expect((await survey.call('walk')).filter((path: string) => !path.startsWith('project/'))).toEqual([]);
  await survey.page.evaluate(async () =>
    (await navigator.storage.getDirectory()).removeEntry('project', { recursive: true }).catch(() => {}),
  );
  for (const page of pages.splice(0)) await page.close();
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

interface Tab {
  readonly page: Page;
  // biome-ignore lint/suspicious/noExplicitAny: plain data out of a page
  call(name: string, ...args: readonly unknown[]): Promise<any>;
}

async function openTab(options: object = {}, parameters: Readonly<Record<string, string>> = {}): Promise<Tab> {
  const page = await browser.openTab(server.pageUrl({ ...parameters, module: '/pages/lock-tab.mjs' }));
  pages.push(page);
  await page.waitForFunction('window.ready');
  const call: Tab['call'] = (name, ...args) =>
    page.evaluate(([method, values]) => window.loaded[method](...values), [name, args] as const);
  await call('open', options);
  return { page, call };
}

/** It must stand in line before the holder goes. */
async function inLine(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(async () => (await navigator.locks.query()).pending?.length)).toBe(1);
}

const patient = { maxWaitMs: 20_000 };
const once = { maxWaitMs: 50, retryPolicy: { maxAttempts: 1 } };

describe('the holder is gone', () => {
  it.each(['close', 'crash', 'reload', 'navigate'] as const)('%s: the one who waits is next, at once', async (how) => {
    const holder = await openTab();
    const waiter = await openTab();
    const { token } = await holder.call('acquire');
    const waiting = waiter.call('acquire', patient);
    await inLine(waiter.page);
    const startMs = performance.now();
    if (how === 'close') await holder.page.close();
    else if (how === 'crash') await browser.crash(holder.page);
    else if (how === 'reload') await holder.page.reload();
    else await holder.page.goto('about:blank');
    const lease = await waiting;
    expect(lease).toMatchObject({ strategy: 'web-lock' });
    expect(lease.token).toBeGreaterThan(token);
    // Far below the TTL of 25 s, however slow the machine is.
    expect(performance.now() - startMs).toBeLessThan(20_000);
  });

  it('by file, with Web Locks: the presence lock tells, nobody sits out the TTL', async () => {
    const holder = await openTab();
    const challenger = await openTab();
    const gatekeeper = await openTab();
    await gatekeeper.page.evaluate(() => {
      void navigator.locks.request('kannuki:project', () => new Promise(() => {}));
    });
    const lease = await holder.call('acquire', { maxWaitMs: 30 });
    expect(lease).toMatchObject({ strategy: 'file-lock' });
    expect(await challenger.call('acquire', once)).toMatchObject({ code: 'fallback-conflict' });
    await browser.crash(holder.page);
    const next = await challenger.call('acquire', { maxWaitMs: 30, retryPolicy: { maxAttempts: 20, maxDelayMs: 100 } });
    expect(next).toMatchObject({ strategy: 'file-lock' });
    expect(next.token).toBeGreaterThan(lease.token);
  });

  it('by file, without Web Locks: the end of the lease is waited for', async () => {
    const holder = await openTab({}, { nolocks: '' });
    const challenger = await openTab({}, { nolocks: '' });
    const lease = await holder.call('acquire', { ttlMillis: 2000 });
    await browser.crash(holder.page);
    const next = await challenger.call('acquire', {
      retryPolicy: { initialDelayMs: 200, multiplier: 1, maxAttempts: 100 },
    });
    expect(next.acquiredAt).toBeGreaterThanOrEqual(lease.expiresAt);
    expect(next.token).toBeGreaterThan(lease.token);
  });
});

describe('the holder stands still', () => {
  it('stopped past its TTL: the late save is refused, read-only is shown, the other one has it', async () => {
    const holder = await openTab();
    const challenger = await openTab();
    const lease = await holder.call('acquire', { ttlMillis: 3000 });
    expect(await holder.call('save', 'first')).toBe('saved');
    await browser.setStopped(holder.page, true);
    try {
      // A stopped tab keeps its Web Lock; the other one goes by the record, once that is over.
      const next = await challenger.call('acquire', {
        maxWaitMs: 100,
        retryPolicy: { initialDelayMs: 200, multiplier: 1, maxAttempts: 100 },
      });
      expect(next.token).toBeGreaterThan(lease.token);
      expect(next.strategy).toBe('file-lock');
      expect(await challenger.call('save', 'second')).toBe('saved');
    } finally {
      await browser.setStopped(holder.page, false);
    }
    await expect.poll(() => holder.call('state')).toBe('readonly');
    expect(await holder.call('reason')).toMatch(/^lease-(expired|stale)$/);
    expect((await holder.call('save', 'late')).code).toMatch(/^lease-(expired|stale)$/);
    expect(await challenger.call('saved')).toBe('second');
    expect(await challenger.call('isHeld')).toBe(true);
  });

  it('frozen inside a commit: the mutex is let go, and the rest of the commit does not happen', async () => {
    const holder = await openTab();
    const other = await openTab({}, { nolocks: '' });
    await holder.call('acquire', { ttlMillis: 2000 });
    const commit = holder.page.evaluate(async () => {
      const { lock } = window.kept;
      const work = async (signal: AbortSignal): Promise<string> => {
        // As the browser tells it; a page without a window is never frozen for real.
        document.dispatchEvent(new Event('freeze'));
        await window.loaded.nap(3000);
        return signal.aborted ? 'told to stop' : 'went on';
      };
      return lock.commit(lock.snapshot().lease, work);
    });
    // Nobody could be granted anything while the file is kept open.
    const next = await other.call('acquire', { retryPolicy: { initialDelayMs: 100, multiplier: 1, maxAttempts: 100 } });
    expect(next).toMatchObject({ strategy: 'file-lock' });
    expect(await commit).toBe('told to stop');
    await holder.page.evaluate(() => document.dispatchEvent(new Event('resume')));
    await expect.poll(() => holder.call('state')).toBe('readonly');
  });

  it.each([
    ['freeze', 'resume'],
    ['pagehide', 'pageshow'],
  ])(
    '%s while a commit waits for the mutex, which it has got already: it is let go, and nothing is committed',
    async (away, back) => {
      const holder = await openTab();
      const other = await openTab({}, { nolocks: '' });
      await holder.call('acquire', { ttlMillis: 2000 });
      await holder.page.evaluate((type) => {
        const { lock } = window.kept;
        const committed = lock.commit(lock.snapshot().lease, async () => 'committed');
        window.kept.outcome = committed.catch((error: { code: string }) => error.code);
        // The worker is inside the mutex and has said so; the page has not heard it yet.
        window.loaded.hang(300);
        const event = type === 'freeze' ? new Event(type) : new PageTransitionEvent(type, { persisted: true });
        (type === 'freeze' ? document : window).dispatchEvent(event);
      }, away);
      const next = await other.call('acquire', {
        retryPolicy: { initialDelayMs: 100, multiplier: 1, maxAttempts: 100 },
      });
      expect(next).toMatchObject({ strategy: 'file-lock' });
      const outcome = await holder.page.evaluate((type) => {
        const event = type === 'resume' ? new Event(type) : new PageTransitionEvent(type, { persisted: true });
        (type === 'resume' ? document : window).dispatchEvent(event);
        return window.kept.outcome;
      }, back);
      expect(outcome).toMatch(/^lease-(stale|expired)$/);
      expect(await other.call('isHeld')).toBe(true);
    },
  );

  it('cached and soon back while a commit waits: the right is lost, so nothing is committed', async () => {
    const holder = await openTab();
    await holder.call('acquire');
    const outcome = await holder.page.evaluate(() => {
      const { lock } = window.kept;
      const committed = lock.commit(lock.snapshot().lease, async () => 'committed');
      for (const type of ['pagehide', 'pageshow']) dispatchEvent(new PageTransitionEvent(type, { persisted: true }));
      return committed.catch((error: { code: string }) => error.code);
    });
    expect(await holder.call('reason')).toBe('page-cached');
    expect(outcome).toBe('lease-stale');
    // The mutex was left, too.
    expect(await holder.call('acquire', patient)).toMatchObject({ strategy: 'web-lock' });
  });

  it('frozen and soon back: it holds on, and renews at once', async () => {
    const holder = await openTab();
    await holder.call('acquire');
    await holder.page.evaluate(() => document.dispatchEvent(new Event('freeze')));
    await holder.page.evaluate(() => document.dispatchEvent(new Event('resume')));
    await expect.poll(() => holder.call('happened')).toContain('lock:renewed');
    expect(await holder.call('save', 'still mine')).toBe('saved');
  });

  it('overruled while it hung: its save is refused, the other one keeps the lock', async () => {
    const holder = await openTab();
    const thief = await openTab();
    const lease = await holder.call('acquire');
    expect(await holder.call('save', 'first')).toBe('saved');
    const hung = holder.call('hang', 2500);
    const taken = await thief.call('takeOver', { graceMs: 300 });
    expect(taken).toMatchObject({ how: 'stolen', strategy: 'web-lock' });
    expect(taken.token).toBeGreaterThan(lease.token);
    expect(await thief.call('save', 'second')).toBe('saved');
    await hung;
    const late = await holder.call('save', 'late');
    expect(late.code).toMatch(/^lease-(stale|expired)$/);
    expect(await holder.call('state')).toBe('readonly');
    expect(await thief.call('saved')).toBe('second');
    expect(await thief.call('isHeld')).toBe(true);
  });

  it('may be cached: the gate is let go inside the event, the record follows on return', async () => {
    const holder = await openTab();
    const waiter = await openTab();
    await holder.call('acquire');
    const waiting = waiter.call('acquire', patient);
    await inLine(waiter.page);
    await holder.page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
    expect(await holder.call('reason')).toBe('page-cached');
    const lease = await waiting;
    await holder.page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    // What the returning page does to the record must not touch the new holder's.
    expect(await waiter.call('renew')).toBe(lease.token);
    expect(await waiter.call('save', 'mine')).toBe('saved');
  });

  it('in the back/forward cache: the gate is free for the one who waits', async () => {
    const holder = await openTab();
    const waiter = await openTab();
    const { token } = await holder.call('acquire');
    const waiting = waiter.call('acquire', patient);
    await inLine(waiter.page);
    await holder.page.goto(server.pageUrl({ elsewhere: '' }));
    expect((await waiting).token).toBeGreaterThan(token);
    await holder.page.goBack();
    await holder.page.waitForFunction('window.ready');
    // Restored or loaded anew: either way it does not believe that it holds.
    const held = await holder.page.evaluate(() => window.loaded.isHeld());
    expect(held).toBe(false);
    expect(await waiter.call('isHeld')).toBe(true);
  });
});

describe('take-over', () => {
  it('asks first: the holder flushes and lets go', async () => {
    const holder = await openTab();
    const other = await openTab();
    const { token } = await holder.call('acquire');
    await holder.call('onRequest', 'flushed');
    const taken = await other.call('takeOver', { graceMs: 20_000 });
    expect(taken).toMatchObject({ how: 'asked' });
    expect(taken.token).toBeGreaterThan(token);
    expect(await other.call('saved')).toBe('flushed');
    expect(await holder.call('state')).toBe('idle');
    expect(await holder.call('happened')).toEqual(
      expect.arrayContaining(['lock:release-requested completed', 'lock:released']),
    );
  });

  it('cools down: no second steal soon after the first, from whichever tab', async () => {
    const deaf = { channel: null };
    const [a, b, c] = [await openTab(deaf), await openTab(deaf), await openTab(deaf)];
    await a.call('acquire');
    expect(await b.call('takeOver', { graceMs: 50 })).toMatchObject({ how: 'stolen' });
    await expect.poll(() => a.call('reason')).toBe('stolen');
    expect(await c.call('takeOver', { graceMs: 50 })).toMatchObject({ code: 'acquire-denied' });
    expect(await a.call('takeOver', { graceMs: 50 })).toMatchObject({ code: 'acquire-denied' });
    expect(await b.call('isHeld')).toBe(true);
  });

  it.each([0, 1])('with %i ms of grace overrules at once, and has the gate', async (graceMs) => {
    const [holder, other] = [await openTab({ channel: null }), await openTab({ channel: null })];
    await holder.call('acquire');
    expect(await other.call('takeOver', { graceMs })).toMatchObject({ how: 'stolen', strategy: 'web-lock' });
    expect(await other.call('save', 'taken')).toBe('saved');
    await expect.poll(() => holder.call('reason')).toBe('stolen');
  });

  it('overrules a silent holder that cannot know: the record itself refuses its save', async () => {
    const holder = await openTab({ channel: null }, { nolocks: '' });
    const other = await openTab();
    await holder.call('acquire');
    expect(await other.call('takeOver', { graceMs: 50 })).toMatchObject({ how: 'stolen' });
    expect(await holder.call('isHeld')).toBe(true);
    expect(await holder.call('save', 'late')).toMatchObject({ code: 'lease-stale' });
    expect(await holder.call('reason')).toBe('lease-stale');
  });
});

describe('storage', () => {
  it('denied: read-only, and never a grant by Web Lock alone', async () => {
    const tab = await openTab();
    const parent = await tab.page.evaluate(
      (url) =>
        new Promise((answer) => {
          const frame = document.createElement('iframe');
          frame.sandbox.add('allow-scripts');
          addEventListener('message', ({ data }) => answer(data));
          // An opaque origin: neither Web Locks nor files.
          frame.srcdoc = `<script type="module">
            import { createProjectLock } from '${url}/dist/browser/project-lock/index.js';
            const lock = createProjectLock({ workerUrl: null });
            const code = await lock.acquireProjectLock().then(() => 'GRANTED', (error) => error.code);
            parent.postMessage([code, lock.snapshot().state, lock.snapshot().readonly?.reason], '*');
          </script>`;
          document.body.append(frame);
        }),
      server.origin,
    );
    expect(parent).toEqual(['fallback-open-failed', 'readonly', 'fallback-open-failed']);
  });

  it('full: what is held can still be renewed, released and acquired', async () => {
    const tab = await openTab();
    await tab.call('acquire');
    await browser.setQuota(tab.page, 1000);
    expect(await tab.call('renew')).toEqual(expect.any(Number));
    expect(await tab.call('release')).toBe('released');
    expect(await tab.call('acquire')).toMatchObject({ strategy: 'web-lock' });
  });

  it.each([
    { what: 'corrupt', bytes: '{"sum":1,"rec":{"token":5}} and more', errors: 1 },
    { what: 'empty', bytes: '', errors: 0 },
    { what: 'huge', bytes: 3_000_000, errors: 1 },
  ])('.lock is $what: built anew, above every token before', async ({ bytes, errors }) => {
    const tab = await openTab();
    const { token } = await tab.call('acquire');
    await tab.call('release');
    await tab.call('happened');
    await tab.call('putLock', bytes);
    const lease = await tab.call('acquire');
    expect(lease.token).toBeGreaterThan(token);
    const failed = (await tab.call('happened')).filter((event: string) => event.startsWith('lock:error'));
    expect(failed).toHaveLength(errors);
    expect(await tab.call('lockSize')).toBeLessThanOrEqual(1024);
  });

  it('.lock is from the future: judged by observed time, not by its own words', async () => {
    const tab = await openTab({}, { nolocks: '' });
    const farMs = Date.now() + 10 * 365 * 86_400_000;
    const record = { ...emptyRecord, n: 4, token: 9, first: 9, leaseId: 'x', ttlMs: 2000, expiresAt: farMs };
    await tab.call('putLock', new TextDecoder().decode(encodeSlot(record)));
    expect(await tab.call('acquire', once)).toMatchObject({ code: 'fallback-conflict' });
    const lease = await tab.call('acquire', { retryPolicy: { initialDelayMs: 300, multiplier: 1, maxAttempts: 60 } });
    expect(lease).toMatchObject({ token: 10 });
  });
});

describe('without a worker', () => {
  it('the page keeps the record itself, and a worker next door sees it', async () => {
    const page = await openTab({}, { csp: "worker-src 'none'" });
    const worker = await openTab();
    const { token } = await page.call('acquire');
    expect(await page.call('save', 'by the page')).toBe('saved');
    expect(await worker.call('acquire', once)).toMatchObject({ code: 'fallback-conflict' });
    expect(await page.call('release')).toBe('released');
    expect((await worker.call('acquire')).token).toBeGreaterThan(token);
  });
});
