/**
 * The web application's files, read once and kept in memory. What has a hash in its name never changes, so browsers
 * keep it; everything else is asked for again. A path that is no file is a page of the application that its first word
 * names (`/editor/…` is editor.html), or else of index.html, which reads the address itself.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';

export interface Pages {
  /** Undefined: nothing to show at this path. */
  find(path: string): Response | undefined;
}

/** The one rule that react-aria adds by itself (how a pressed button reacts to touch). */
const pressStyle = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='";

/** Scripts, styles and connections from here only; nobody may frame the page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  `style-src 'self' ${pressStyle}`,
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A script that runs as a worker has the policy it came with, not the page's: it may ask this server, and load nothing. */
const workerPolicy = "default-src 'none'; connect-src 'self'; frame-ancestors 'none'";

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

export function loadPages(dir: string): Pages {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  for (const path of listFiles(dir)) {
    files.set(`/${relative(dir, path).split(sep).join('/')}`, new Uint8Array(readFileSync(path)));
  }
  return {
    find(path) {
      const file = files.get(path);
      if (file) return fileResponse(path, file);
      // A page has no extension; a missing script must not be answered with a page.
      if (extname(path) !== '') return undefined;
      const own = `/${path.split('/')[1]}.html`;
      const name = files.has(own) ? own : '/index.html';
      const page = files.get(name);
      return page && fileResponse(name, page);
    },
  };
}

function listFiles(dir: string): readonly string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    return statSync(path).isDirectory() ? listFiles(path) : [path];
  });
}

function fileResponse(path: string, file: Uint8Array<ArrayBuffer>): Response {
  const type = types[extname(path)] ?? 'application/octet-stream';
  return new Response(file, {
    headers: {
      'content-type': type,
      'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ...(type.startsWith('text/javascript') && { 'content-security-policy': workerPolicy }),
      ...(type.startsWith('text/html') && {
        'content-security-policy': policy,
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      }),
    },
  });
}
