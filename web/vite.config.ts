import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** What every page begins with, written once. */
const sharedFrame: Plugin = {
  name: 'shared-frame',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) =>
      html
        .replace(
          '<head>',
          `<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <script src="/first-paint.js"></script>`,
        )
        .replace('<body>', '<body>\n    <div id="root"></div>'),
  },
};

/** What comes out of these packages, by a pattern of their names. */
function packages(names: string): RegExp {
  return new RegExp(`[\\\\/]node_modules[\\\\/](?:${names})[\\\\/]`);
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react(), sharedFrame],
  define: { 'import.meta.env.VITE_VERSION': JSON.stringify(version) },
  build: {
    outDir: fileURLToPath(new URL('../dist/web', import.meta.url)),
    emptyOutDir: true,
    // The content security policy allows no data: scripts and no inline ones; small files stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One page each, so that nobody loads what belongs to another.
    rolldownOptions: {
      input: ['index.html', 'book.html', 'editor.html'].map((page) => fileURLToPath(new URL(page, import.meta.url))),
      output: {
        // What several need comes in a few files: over HTTP/1.1 a browser asks for six at a time, and the thirtieth waits.
        codeSplitting: {
          groups: [
            {
              name: 'react',
              test: packages('react|react-dom|scheduler|i18next|react-i18next|use-sync-external-store'),
            },
            { name: 'aria', test: packages('react-aria.*|react-stately|@react-[a-z]+/.*|@internationalized/.*|clsx') },
            { name: 'router', test: packages('@tanstack/(?:react-)?(?:router|history|store).*') },
            { name: 'query', test: packages('@tanstack/(?:react-query|query-core)') },
            {
              name: 'parts',
              // With the styles that all begin with, which must come before each page's own. The one part that asks the
              // server comes with the pages that have it.
              test: /[\\/]web[\\/]src[\\/](?:parts[\\/](?!act-)|words[\\/](?:begin|change)-|api[\\/](?:api-|call-)|book[\\/]|look[\\/](?:tokens|app)\.css)/,
              minShareCount: 2,
            },
            { name: 'operations', test: /[\\/]web[\\/]src[\\/](?:api|shell|pages)[\\/]/, minShareCount: 2 },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  server: { proxy: { '/api': 'http://127.0.0.1:4010' } },
});
