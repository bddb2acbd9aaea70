/** `useAutoSave` in a page made by React and a bundler, in strict mode. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { launchChromium } from '../launch-chromium.ts';
import { servePages } from '../serve-pages.ts';
import { openAutoSaveTab } from './open-autosave-tab.ts';

async function bundle(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(path, import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    define: { 'process.env.NODE_ENV': '"development"' },
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

it('saves what is typed, shows its phases, gives the lock back, and restores', { timeout: 60_000 }, async () => {
  const texts = {
    '/react-editor.mjs': await bundle('../pages/react-editor.mjs'),
    // Where `new URL('./lock-worker.js', import.meta.url)` points after bundling.
    '/lock-worker.js': await bundle('../../../src/browser/project-lock/lock-worker.ts'),
  };
  const server = await servePages({ texts });
  const browser = await launchChromium();
  try {
    const reader = await openAutoSaveTab(browser, server);
    const page = await browser.openTab(server.pageUrl({ module: '/react-editor.mjs' }));
    await page.getByText('idle', { exact: true }).waitFor();
    await page.locator('textarea').fill('typed in React');
    await page.waitForFunction(() => window.loaded.seen.includes('debouncing') && window.loaded.seen.at(-1) === 'idle');
    expect(await page.locator('output').textContent()).toBe('idle');
    expect(JSON.parse(await reader.call('read', 'project/autosave/current.json')).document).toBe('typed in React');
    // Unmounted: the last change is saved and another tab may write.
    await page.locator('textarea').fill('typed in React, and more');
    await page.evaluate(() => window.loaded.unmount());
    expect(await reader.call('open', { acquire: { maxWaitMs: 20_000 } })).toMatchObject({
      document: 'typed in React, and more',
    });
    await reader.call('dispose');

    const again = await browser.openTab(server.pageUrl({ module: '/react-editor.mjs' }));
    await again.getByText('idle', { exact: true }).waitFor();
    await again.getByText('Restore').click();
    await again.waitForFunction(() => document.querySelector('textarea')?.value === 'typed in React, and more');
  } finally {
    await browser.close();
    await server.close();
  }
});
