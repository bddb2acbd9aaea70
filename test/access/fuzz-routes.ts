/**
 * Sends each route what its schema allows, nearly allows and does not allow, and judges every answer: no failure of the
 * server, no stack, no secret, every refusal a problem with a code. The first thing wrong of each kind and route is told
 * with the request that showed it.
 */
import fc from 'fast-check';
import type { Route } from '../../src/server/route.ts';
import { descriptionOf } from '../../src/server/route-descriptions.ts';
import { nasty, schemaArbitrary } from './schema-arbitrary.ts';

export interface FuzzOptions {
  readonly routes: readonly Route[];
  readonly fetch: (request: Request, address?: string) => Promise<Response>;
  /** Sent with each request, by the route's role. */
  readonly headersFor: (route: Route) => Readonly<Record<string, string>>;
  readonly requests: number;
  readonly seed: number;
  /** Must stand in no answer. */
  readonly secrets: readonly string[];
  /** Sees each answer's text; for what is collected beside. */
  readonly onAnswer?: (route: Route, status: number, text: string) => void;
}

export interface FuzzReport {
  readonly requests: number;
  readonly findings: readonly string[];
  /** How many answers had which status. */
  readonly statuses: Readonly<Record<number, number>>;
}

interface Shot {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const stack =
  /\n\s+at |node_modules\/|\/src\/[\w-]+\/|\.ts:\d+:\d+|\b(PostgresError|TypeError|RangeError|SyntaxError)\b/;

export async function fuzzRoutes(options: FuzzOptions): Promise<FuzzReport> {
  const { routes, seed, secrets } = options;
  const findings = new Map<string, string>();
  const statuses: Record<number, number> = {};
  const perRoute = Math.ceil(options.requests / routes.length);
  let requests = 0;
  for (const [index, route] of routes.entries()) {
    const name = `${route.method} ${route.path}`;
    const shots = fc.sample(shotArbitrary(route, options), { numRuns: perRoute, seed: seed + index });
    for (const shot of shots) {
      const note = (what: string): void => {
        const id = `${name}: ${what}`;
        if (!findings.has(id)) findings.set(id, `${id}\n    ${JSON.stringify(shot).slice(0, 600)}`);
      };
      const { status, text, type } = await send(route, shot, options);
      requests += 1;
      statuses[status] = (statuses[status] ?? 0) + 1;
      options.onAnswer?.(route, status, text);
      if (status >= 500 && status !== 501) note(`answers ${status}: ${text.slice(0, 200)}`);
      // Webhooks answer in the way of those who call them.
      const own = route.path.startsWith('/webhooks/');
      if (status >= 400 && !own && !type.startsWith('application/problem+json'))
        note(`${status} as ${type}, not as a problem`);
      if (status >= 400 && stack.test(text)) note(`tells about its inside: ${text.slice(0, 300)}`);
      if (secrets.some((secret) => text.includes(secret))) note('tells a secret');
    }
  }
  return { requests, findings: [...findings.values()], statuses };
}

async function send(route: Route, { path, headers, body }: Shot, { fetch }: FuzzOptions) {
  const given = new AbortController();
  const request = new Request(`http://test${path}`, {
    method: route.method,
    headers,
    signal: given.signal,
    ...(body !== undefined && { body }),
  });
  const response = await fetch(request, '192.0.2.7');
  const type = response.headers.get('content-type') ?? '';
  // A stream has no end; that it was opened is all there is to see.
  const isStream = type.includes('ndjson') || type.includes('event-stream');
  const text = isStream ? '' : await response.text();
  if (isStream) await response.body?.cancel();
  given.abort();
  return { status: response.status, text, type };
}

function shotArbitrary(route: Route, { headersFor }: FuzzOptions): fc.Arbitrary<Shot> {
  const { body, query } = descriptionOf(route);
  const parts = [...route.path.matchAll(/:(\w+)/g)].map(() =>
    fc.oneof(
      fc.constantFrom('idle', '1', '2', '3', 'report', '999999999'),
      nasty.map(pathPart),
      fc.string({ maxLength: 20 }).map(pathPart),
    ),
  );
  const queries: fc.Arbitrary<unknown> = query ? schemaArbitrary(query) : fc.oneof(fc.constant({}), nasty);
  const bodies: fc.Arbitrary<string | undefined> =
    route.method === 'GET'
      ? fc.constant(undefined)
      : fc.oneof(
          {
            arbitrary: (body ? schemaArbitrary(body) : fc.jsonValue()).map((value) => JSON.stringify(value) ?? ''),
            weight: 20,
          },
          {
            arbitrary: fc.constantFrom('', '{', 'null', '[]', '"', '{"a":', '\u0000', '{"__proto__":{"admin":true}}'),
            weight: 1,
          },
        );
  const types = fc.oneof(
    { arbitrary: fc.constant('application/json'), weight: 30 },
    {
      arbitrary: fc.constantFrom(
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/json; charset=utf-16',
        '',
      ),
      weight: 1,
    },
  );
  const keys = fc.option(fc.constantFrom('a', 'k'.repeat(3_000), '"quoted"', 'é'), { freq: 10 });
  return fc.tuple(fc.tuple(...parts), queries, bodies, types, keys).map(([names, asked, sent, type, key]) => {
    let at = 0;
    const path = route.path.replaceAll(/:\w+/g, () => names[at++] ?? 'x');
    return {
      path: `${path}${queryText(asked)}`,
      headers: {
        host: 'test',
        ...headersFor(route),
        ...(route.method !== 'GET' && type !== '' && { 'content-type': type }),
        ...(key !== null && key !== 'é' && { 'idempotency-key': key }),
      },
      ...(sent !== undefined && { body: sent }),
    };
  });
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** A part that is none would be another route. */
function pathPart(value: unknown): string {
  const text = encodeURIComponent(toWellFormed(shown(value)).slice(0, 2_000));
  return text === '' || text === '.' || text === '..' ? 'x' : text;
}

function queryText(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return value === null ? '' : `?${encodeURIComponent(toWellFormed(shown(value)).slice(0, 5_000))}`;
  const pairs = Object.entries(value).map(
    ([name, one]) =>
      `${encodeURIComponent(toWellFormed(name))}=${encodeURIComponent(toWellFormed(typeof one === 'string' ? one : (JSON.stringify(one) ?? '')).slice(0, 5_000))}`,
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function toWellFormed(text: string): string {
  return text.replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}
