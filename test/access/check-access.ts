/**
 * Every route of a table against everybody who could knock. What each must hear follows from the route's role alone, so
 * a new route is judged without a new line here; one without a role is a finding.
 */
import { type Role, roles } from '../../src/server/authenticate.ts';
import type { Route } from '../../src/server/route.ts';

export type Verdict = 'in' | 401 | 403;

export interface Knock {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What this caller may at most; undefined: nobody we know. */
  readonly role?: Role | 'customer' | 'internal';
  /** Comes from a page of another site. */
  readonly foreign?: true;
}

/** Undefined: the route has no role. */
export function expectedOf(route: Route, { role, foreign }: Knock): Verdict | undefined {
  if (foreign && route.method !== 'GET' && !route.crossOrigin) return 403;
  if (route.role === 'anyone') return 'in';
  if (route.role === 'internal' || route.role === 'customer') return role === route.role ? 'in' : 401;
  const needed = roles.indexOf(route.role as Role);
  if (needed < 0) return undefined;
  const has = roles.indexOf(role as Role);
  if (has < 0) return 401;
  return has < needed ? 403 : 'in';
}

export interface CheckAccessOptions {
  readonly routes: readonly Route[];
  readonly knocks: readonly Knock[];
  readonly fetch: (request: Request, address?: string) => Promise<Response>;
}

/** What is wrong, in words; empty: nothing. */
export async function checkAccess({ routes, knocks, fetch }: CheckAccessOptions): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    for (const knock of knocks) {
      const expected = expectedOf(route, knock);
      if (expected === undefined) {
        findings.push(`${name} has no role`);
        break;
      }
      const response = await fetch(requestTo(route, knock.headers), '192.0.2.1');
      await response.body?.cancel();
      const { status } = response;
      const heard = status === 401 || status === 403 ? status : 'in';
      // A handler for anyone may still want a code, a key or a page of ours.
      const mayRefuse = route.role === 'anyone' && expected === 'in';
      if (heard !== expected && !mayRefuse) findings.push(`${name}: ${knock.name} heard ${status}, not ${expected}`);
      if (status >= 500 && status !== 501) findings.push(`${name}: ${knock.name} made it fail with ${status}`);
      if (status === 401 && route.role !== 'customer' && !response.headers.has('www-authenticate'))
        findings.push(`${name}: 401 without a challenge`);
      for (const header of ['content-security-policy', 'x-content-type-options', 'x-request-id'])
        if (!response.headers.has(header)) findings.push(`${name}: no ${header}`);
      if (response.headers.has('access-control-allow-origin')) findings.push(`${name}: open to other origins`);
    }
  }
  return findings;
}

/** The least that a route can be asked: whoever is kept out must be so before any of it is read. */
function requestTo(route: Route, headers: Readonly<Record<string, string>>): Request {
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => (name === 'name' ? 'idle' : '999999'));
  return new Request(`http://test${path}`, {
    method: route.method,
    headers: { host: 'test', ...headers, ...(route.method !== 'GET' && { 'content-type': 'application/json' }) },
    ...(route.method !== 'GET' && { body: '{}' }),
  });
}
