/** The frame of the sandbox's pages: one self-contained document, nothing to load. */
import { escapeHtml } from '../../mail/escape-html.ts';

export interface SandboxPage {
  readonly locale: 'en' | 'ja';
  readonly title: string;
  /** The bar that says that none of this is real. */
  readonly notice: string;
  /** HTML, escaped already. */
  readonly body: string;
  readonly status?: number;
}

const style = `
:root{color-scheme:light dark;--bg:#f6f6f7;--surface:#fff;--line:#e3e5ea;--ink:#16181d;--ink-2:#474c57;--accent:#2a3880;--on:#fff;--note:#fcf0d6;--note-ink:#814600}
@media(prefers-color-scheme:dark){:root{--bg:#101218;--surface:#191c24;--line:#2e333f;--ink:#eceef2;--ink-2:#b4bac6;--accent:#8f9df0;--on:#101218;--note:#3a2a08;--note-ink:#f3cf8a}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:16px/1.65 ui-sans-serif,-apple-system,"Segoe UI","Hiragino Sans","Noto Sans JP",Meiryo,sans-serif}
.notice{background:var(--note);color:var(--note-ink);padding:8px 20px;text-align:center;font-size:14px}
main{max-width:480px;margin:40px auto;padding:28px;background:var(--surface);border:1px solid var(--line);border-radius:16px}
main.wide{max-width:860px}h1{font-size:20px;margin:0 0 4px}h2{font-size:16px;margin:0}.amount{font-size:28px;font-weight:600;margin:4px 0 16px}.fine{color:var(--ink-2);font-size:14px;margin:4px 0}
form{margin:20px 0 0;display:grid;gap:10px}button,.button{font:inherit;min-height:44px;padding:8px 16px;border-radius:6px;border:1px solid var(--line);background:transparent;color:inherit;cursor:pointer;text-align:center;text-decoration:none;display:block}
button.first{background:var(--accent);border-color:var(--accent);color:var(--on);font-weight:600}a{color:inherit}.say{padding:10px 14px;border-radius:6px;background:var(--note);color:var(--note-ink)}
:focus-visible{outline:3px solid #4a5fe6;outline-offset:2px}ul{list-style:none;margin:16px 0;padding:0}li{padding:14px 0;border-top:1px solid var(--line)}pre{white-space:pre-wrap;font:inherit;margin:8px 0}`;

export function sandboxPage(page: SandboxPage): Response {
  const html = `<!doctype html>
<html lang="${page.locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${escapeHtml(page.title)}</title><style>${style}</style></head>
<body><div class="notice" role="note">${escapeHtml(page.notice)}</div>${page.body}</body></html>
`;
  return new Response(html, {
    status: page.status ?? 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      // The page has no script and needs none; a title or a name that smuggles one in does nothing.
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  });
}

/** The language of a page: what the address says, else what the browser prefers, else what it was made with. */
export function chooseLocale(request: Request, made: string | null): 'en' | 'ja' {
  const asked = new URL(request.url).searchParams.get('lang');
  if (asked === 'en' || asked === 'ja') return asked;
  if (made === 'en' || made === 'ja') return made;
  return /^\s*ja\b/i.test(request.headers.get('accept-language') ?? '') ? 'ja' : 'en';
}
