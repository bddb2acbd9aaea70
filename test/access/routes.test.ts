/**
 * Every route against everybody, then fuzzed; one server for all of it. The checkers are first shown a server with
 * planted faults: one that finds nothing there proves nothing here.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/cli/create-logger.ts';
import { apiToken, createApiTokens, createServerApp } from '../../src/server/index.ts';
import type { Route } from '../../src/server/route.ts';
import { routes } from '../../src/server/routes.ts';
import { memoryStore } from '../../src/stores/memory/index.ts';
import { faultRounds, reportFault } from '../process/fault-rounds.ts';
import { type AccessServer, secrets, startAccessServer, wideLimits } from './access-server.ts';
import { checkAccess, type Knock } from './check-access.ts';
import { fuzzRoutes } from './fuzz-routes.ts';

const requests = faultRounds('FUZZ', 1_500);
const canaries = { env: 'canary-of-the-environment', bearer: 'canary-of-a-bearer', header: 'canary-of-a-header' };

describe('routes', () => {
  let server: AccessServer;
  let knocks: readonly Knock[];
  const lines: string[] = [];

  beforeAll(async () => {
    const logger = createLogger('debug', {
      env: { KANNUKI_API_TOKEN: canaries.env },
      out: { write: (line) => void lines.push(line) },
    });
    server = await startAccessServer({ limits: wideLimits, logger });
    const tokens = createApiTokens({ database: server.database });
    const make = async (role: 'viewer' | 'operator' | 'admin') =>
      (await tokens.create({ name: `stored-${role}`, role, by: 'test' })).token;
    const expired = await tokens.create({ name: 'expired', role: 'admin', by: 'test', lastsMs: 60_000 });
    await server.database.query({
      text: "update kannuki.api_tokens set expires_at = now() - interval '1 second' where id = $1",
      values: [expired.info.id],
    });
    const revoked = await tokens.create({ name: 'revoked', role: 'admin', by: 'test' });
    await tokens.revoke(revoked.info.id, { by: 'test' });
    const session = await server.signIn.redeemCode(await server.signIn.createCode('ada', 'admin'));
    const cookie = `kannuki_session=${session?.cookie}`;
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const evil = { origin: 'https://evil.example' };
    knocks = [
      { name: 'nobody', headers: {} },
      { name: 'a stranger', headers: bearer(canaries.bearer.repeat(3)) },
      { name: 'an expired token', headers: bearer(expired.token) },
      { name: 'a revoked token', headers: bearer(revoked.token) },
      {
        name: 'a forged cookie',
        headers: { cookie: 'kannuki_session=e30.e30', ...{ 'sec-fetch-site': 'same-origin' } },
      },
      {
        name: 'a customer',
        role: 'customer',
        headers: { cookie: server.customerCookie, 'sec-fetch-site': 'same-origin' },
      },
      { name: 'internal', role: 'internal', headers: bearer(secrets.internal) },
      ...(['viewer', 'operator', 'admin'] as const).map(
        (role): Knock => ({ name: role, role, headers: bearer(secrets[role]) }),
      ),
      { name: 'a stored viewer', role: 'viewer', headers: bearer(await make('viewer')) },
      { name: 'a stored operator', role: 'operator', headers: bearer(await make('operator')) },
      { name: 'a stored admin', role: 'admin', headers: bearer(await make('admin')) },
      {
        name: 'a session on our page',
        role: 'admin',
        headers: { cookie, 'sec-fetch-site': 'same-origin', origin: 'http://test' },
      },
      { name: 'a session elsewhere', role: 'admin', foreign: true, headers: { cookie, ...evil } },
      {
        name: 'a session on a sibling',
        role: 'admin',
        foreign: true,
        headers: { cookie, 'sec-fetch-site': 'same-site' },
      },
      {
        name: 'a session with two minds',
        role: 'admin',
        foreign: true,
        headers: { cookie, 'sec-fetch-site': 'same-origin', ...evil },
      },
      { name: 'a token elsewhere', role: 'admin', foreign: true, headers: { ...bearer(secrets.admin), ...evil } },
      {
        name: 'a page without an origin',
        role: 'admin',
        foreign: true,
        headers: { ...bearer(secrets.admin), origin: 'null' },
      },
    ];
  });
  afterAll(() => server.close());

  const headersFor = ({ role }: Route): Record<string, string> => {
    if (role === 'customer') return { cookie: server.customerCookie, 'sec-fetch-site': 'same-origin' };
    const authorization = `Bearer ${role === 'internal' ? secrets.internal : secrets.admin}`;
    return { authorization, ...(role === 'anyone' && { 'sec-fetch-site': 'same-origin' }) };
  };
  const hidden = () => [...Object.values(secrets), canaries.env];
  const fuzz = (seed: number, count: number, given = server.app, table = routes) =>
    fuzzRoutes({
      routes: table,
      fetch: (request, address) => given.fetch(request, address),
      headersFor,
      requests: count,
      seed,
      secrets: hidden(),
    });

  /** A server with faults that somebody could make tomorrow. */
  const planted = (table: readonly Route[]) =>
    createServerApp({
      store: memoryStore(),
      tokens: [apiToken({ name: 'root', role: 'admin', secret: secrets.admin })],
      routes: table,
    });
  const plain = { method: 'GET', path: '/api/v1/leases', handle: () => Response.json({}) } as const;

  it('the checker sees a route that lets in whom it should not', async () => {
    const served: Route = { ...plain, role: 'anyone' };
    const app = planted([served]);
    const findings = await checkAccess({
      routes: [{ ...served, role: 'operator' }],
      knocks,
      fetch: (r) => app.fetch(r),
    });
    expect(findings).toContain('GET /api/v1/leases: nobody heard 200, not 401');
    expect(findings).toContain('GET /api/v1/leases: viewer heard 200, not 403');
  });

  it('the checker sees a route without a role, and the server serves it to nobody', async () => {
    const forgotten = { ...plain } as unknown as Route;
    const app = planted([forgotten]);
    expect(await checkAccess({ routes: [forgotten], knocks, fetch: (r) => app.fetch(r) })).toEqual([
      'GET /api/v1/leases has no role',
    ]);
    const response = await app.fetch(
      new Request('http://test/api/v1/leases', { headers: { authorization: `Bearer ${secrets.admin}` } }),
    );
    expect(response.status).toBe(500);
  });

  it('the checker sees failures, stacks and secrets', async () => {
    const table: readonly Route[] = [
      { ...plain, path: '/api/v1/jobs', role: 'admin', handle: () => Promise.reject(new Error(secrets.operator)) },
      { ...plain, path: '/api/v1/runs', role: 'admin', handle: () => Response.json({ note: secrets.operator }) },
      {
        ...plain,
        path: '/api/v1/workers',
        role: 'admin',
        handle: () => new Response(`x\n    at handle (file.ts:1:1)`, { status: 400 }),
      },
    ];
    const { findings } = await fuzz(1, 9, planted(table), table);
    const told = findings.map((finding) => finding.split('\n')[0]);
    expect(told.some((finding) => finding?.startsWith('GET /api/v1/jobs: answers 500'))).toBe(true);
    expect(told.some((finding) => finding?.includes(secrets.operator))).toBe(false);
    expect(told).toContain('GET /api/v1/runs: tells a secret');
    expect(told.some((finding) => finding?.startsWith('GET /api/v1/workers: tells about its inside'))).toBe(true);
    expect(told.some((finding) => finding?.startsWith('GET /api/v1/workers: 400 as text/plain'))).toBe(true);
  });

  it('let in whom their role says, and nobody else', async () => {
    expect(await checkAccess({ routes, knocks, fetch: (r, a) => server.app.fetch(r, a) })).toEqual([]);
  });

  it('answer unknown methods with nothing from the inside', async () => {
    for (const path of new Set(routes.map((route) => route.path))) {
      const known = routes.filter((route) => route.path === path).map((route) => route.method as string);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        if (known.includes(method)) continue;
        const response = await server.app.fetch(
          new Request(`http://test${path.replaceAll(/:\w+/g, '1')}`, {
            method,
            headers: { authorization: `Bearer ${secrets.admin}` },
          }),
        );
        expect([method, path, response.status]).toEqual([method, path, 405]);
        expect(response.headers.get('allow')?.split(', ').sort()).toEqual([...known].sort());
        expect(await response.text()).not.toMatch(/node_modules|\bat \w|canary/);
      }
    }
  });

  it('take no SQL in the name of a channel', async () => {
    const process = encodeURIComponent('x";drop/**/table/**/kannuki.lease_breaks;--');
    const { status } = await server.ask('GET', `/api/v1/leases/notices?process=${process}`, 'operator');
    expect(status).toBe(400);
    const { rows } = await server.database.query({
      text: "select to_regclass('kannuki.lease_breaks') is not null as is",
    });
    expect(rows).toEqual([{ is: true }]);
  });

  it.each([
    ['the same every time', 20_261_118],
    ['another every time', Date.now() % 2 ** 31],
  ])(
    'hold against what their schemas allow and do not allow, %s (seed %i)',
    async (_, seed) => {
      const report = await fuzz(seed, requests);
      expect(report.findings).toEqual([]);
      expect(report.requests).toBeGreaterThanOrEqual(requests);
      // It reached the inside too: a fuzz that only hears 400 has tested the schemas.
      expect(report.statuses[200] ?? 0).toBeGreaterThan(report.requests / 10);
      reportFault({ experiment: 'fuzz', seed, requests: report.requests, ...report.statuses });
    },
    600_000,
  );

  it('leave no secret in logs, audit and metrics', async () => {
    const { rows } = await server.database.query({ text: 'select * from kannuki.audit' });
    const metrics = await server.ask('GET', '/metrics', 'viewer');
    expect(metrics.text).toContain('kannuki_http_requests_total');
    const places = { logs: lines.join(''), audit: JSON.stringify(rows), metrics: metrics.text };
    expect(lines.length).toBeGreaterThan(100);
    for (const [place, text] of Object.entries(places)) {
      for (const secret of [...hidden(), canaries.bearer])
        expect([place, text.includes(secret)]).toEqual([place, false]);
      expect([place, /knk_[0-9a-f]{12}_[0-9a-f]{64}/.test(text)]).toEqual([place, false]);
    }
  });
});
