/**
 * A server on loopback for the tabs of a test: a bare page, the compiled modules under `/dist/` as the package ships
 * them, and the test's own under `/pages/`. Query parameters of the page choose its surroundings:
 *   `csp=<policy>`     sent as Content-Security-Policy (`worker-src 'none'`: no worker can be had)
 *   `nolocks`          `navigator.locks` is taken away before anything runs
 *   `module=<path>`    a module that is loaded and kept in `window.loaded`
 * It also hears what tabs tell (`window.tell(fields)`), in the order in which it arrives, and never answers `/hang`,
 * which holds a worker at a chosen point.
 */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Told = Readonly<Record<string, string>>;

export interface PageServer {
  readonly origin: string;
  /** The address of a page with these parameters. */
  pageUrl(parameters?: Readonly<Record<string, string>>): string;
  /** Whatever tabs told, in order. */
  readonly told: readonly Told[];
  /** Called for each thing told, before the teller gets its answer. */
  onTold(listener: (told: Told) => void): void;
  close(): Promise<void>;
}

export interface ServePagesOptions {
  /** Further texts to serve, by path: modules of the test. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** Folders that are served as they are. */
const folders: Readonly<Record<string, string>> = {
  dist: fileURLToPath(new URL('../../dist/', import.meta.url)),
  pages: fileURLToPath(new URL('pages/', import.meta.url)),
};

export async function servePages(options: ServePagesOptions = {}): Promise<PageServer> {
  const told: Told[] = [];
  const listeners: ((told: Told) => void)[] = [];
  const server = createServer((request, response) => answer(request, response, options.texts ?? {}, hear));
  function hear(entry: Told): void {
    told.push(entry);
    for (const listener of listeners) listener(entry);
  }
  // Tabs that wait for long must not be cut off.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    pageUrl: (parameters = {}) => `${origin}/?${new URLSearchParams(parameters)}`,
    told,
    onTold: (listener) => void listeners.push(listener),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  texts: Readonly<Record<string, string>>,
  hear: (told: Told) => void,
): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://loopback');
  if (pathname === '/hang') return;
  if (pathname === '/tell') {
    hear(Object.fromEntries(searchParams));
    response.writeHead(204, { 'cache-control': 'no-store' }).end();
    return;
  }
  const csp = searchParams.get('csp');
  // A sandboxed frame has an opaque origin, and loads modules only where every origin may.
  const headers = {
    'access-control-allow-origin': '*',
    'cache-control': 'no-cache',
    ...(csp ? { 'content-security-policy': csp } : {}),
  };
  const text = pathname === '/' ? pageText(searchParams) : texts[pathname];
  if (text !== undefined) {
    const type = pathname === '/' ? 'text/html; charset=utf-8' : 'text/javascript; charset=utf-8';
    response.writeHead(200, { ...headers, 'content-type': type }).end(text);
    return;
  }
  const [, name = '', rest = ''] = /^\/([^/]+)\/(.*)$/.exec(pathname) ?? [];
  const folder = folders[name] ?? '';
  const file = join(folder, normalize(rest));
  if (folder === '' || !file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { ...headers, 'content-type': 'text/javascript; charset=utf-8' });
  createReadStream(file).pipe(response);
}

function pageText(parameters: URLSearchParams): string {
  const modules = parameters.getAll('module').map((path) => `await import(${JSON.stringify(path)})`);
  return `<!doctype html><meta charset="utf-8"><title>tab</title><link rel="icon" href="data:,">
<script>
${parameters.has('nolocks') ? "Object.defineProperty(navigator, 'locks', { value: undefined });" : ''}
window.tell = (fields) => fetch('/tell?' + new URLSearchParams(fields));
</script>
<script type="module">
window.loaded = Object.assign({}, ${['{}', ...modules].join(', ')});
window.ready = true;
</script>`;
}
