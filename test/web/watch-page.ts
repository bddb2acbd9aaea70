/** What must not be seen on any page: console errors, refusals of the content policy, serious axe findings. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

export interface WatchedPage {
  /** Everything that was said so far and should not have been. */
  readonly complaints: readonly string[];
  /** What axe finds that is serious or worse. */
  findBarriers(): Promise<readonly string[]>;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export function watchPage(page: Page): WatchedPage {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return {
    complaints,
    async findBarriers() {
      // By the debugging protocol: the page's own policy would refuse a script tag.
      if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(`${axe}; undefined`);
      return page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
        };
        const { violations } = await axe.run();
        return violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
      });
    },
  };
}
