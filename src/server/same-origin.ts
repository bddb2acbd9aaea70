/**
 * Whether a browser's request comes from a page of this server. `Sec-Fetch-Site` cannot be set by a page; `Origin`
 * neither, and older browsers send only that. A request with neither comes from no page.
 */
export function isSameOrigin(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = request.headers.get('origin');
  if (origin === null) return false;
  try {
    // Only host and port: behind a proxy that ends TLS the scheme differs.
    return new URL(origin).host === (request.headers.get('host') ?? new URL(request.url).host);
  } catch {
    return false;
  }
}
