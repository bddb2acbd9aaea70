/**
 * Whether a browser's request comes from a page of this server. `Sec-Fetch-Site` and `Origin` are set by the browser,
 * never by a page; older browsers send only the second. Where both are there both must agree. A request with neither
 * comes from no page.
 */
export function isSameOrigin(request: Request, publicHost?: string): boolean {
  const { site, origin } = pageOf(request);
  return (site !== null || origin !== null) && !isForeignPage(request, publicHost);
}

/** A page, and not ours. False for programs, which send neither header. */
export function isForeignPage(request: Request, publicHost?: string): boolean {
  const { site, origin } = pageOf(request);
  if (site !== null && site !== 'same-origin') return true;
  return origin !== null && !isOurs(origin, request, publicHost);
}

function pageOf({ headers }: Request): { readonly site: string | null; readonly origin: string | null } {
  return { site: headers.get('sec-fetch-site'), origin: headers.get('origin') };
}

/** Only host and port: behind a proxy that ends TLS the scheme differs. */
function isOurs(origin: string, request: Request, publicHost: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  const { host } = new URL(origin);
  return host !== '' && (host === publicHost || host === (request.headers.get('host') ?? new URL(request.url).host));
}
