/** The browser and the page server of the tests, with a page that can do the same by each package. */
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = new URL('../../../', import.meta.url);
const path = (relative) => fileURLToPath(new URL(relative, root));

/** `module`: what runs in the tab. */
export async function openBrowser(module = new URL('bench-page.mjs', import.meta.url)) {
  // Two folders below the root, as the sources: they find the browser and `dist` by relative paths.
  const outdir = path('dist/bench-browser/');
  mkdirSync(outdir, { recursive: true });
  await build({
    entryPoints: [path('test/browser/launch-chromium.ts'), path('test/browser/serve-pages.ts')],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  const page = await build({
    entryPoints: [fileURLToPath(module)],
    bundle: true,
    format: 'esm',
    external: ['/dist/*'],
    write: false,
  });
  const { launchChromium } = await import(path('dist/bench-browser/launch-chromium.mjs'));
  const { servePages } = await import(path('dist/bench-browser/serve-pages.mjs'));
  const server = await servePages({ texts: { '/bench-page.mjs': page.outputFiles[0].text } });
  const browser = await launchChromium();
  return {
    server,
    browser,
    async openTab() {
      const tab = await browser.openTab(server.pageUrl({ module: '/bench-page.mjs' }));
      await tab.waitForFunction('window.ready');
      return tab;
    },
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
