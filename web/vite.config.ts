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
    },
  },
  worker: { format: 'es' },
  server: { proxy: { '/api': 'http://127.0.0.1:4010' } },
});
