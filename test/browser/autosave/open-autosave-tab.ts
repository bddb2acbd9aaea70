import type { Page } from 'playwright-core';
import type { TestBrowser } from '../launch-chromium.ts';
import type { PageServer } from '../serve-pages.ts';

/** A tab that runs test/browser/pages/autosave-tab.mjs. */
export interface AutoSaveTab {
  readonly page: Page;
  /** Calls one of its functions. */
  // biome-ignore lint/suspicious/noExplicitAny: plain data from a plain module
  call(name: string, ...args: readonly unknown[]): Promise<any>;
}

export async function openAutoSaveTab(
  browser: TestBrowser,
  server: PageServer,
  parameters: Readonly<Record<string, string>> = {},
): Promise<AutoSaveTab> {
  const page = await browser.openTab(server.pageUrl({ ...parameters, module: '/pages/autosave-tab.mjs' }));
  await page.waitForFunction('window.ready');
  return {
    page,
    call: (name, ...args) => page.evaluate(([called, given]) => window.loaded[called](...given), [name, args] as const),
  };
}
