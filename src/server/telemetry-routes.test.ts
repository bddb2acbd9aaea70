import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CheckedApp, checkedApp } from '../../test/servers/checked-app.ts';
import type { SqlDatabase } from '../core/ports.ts';
import { migrate } from '../engine/migrate.ts';
import { memoryStore } from '../stores/memory/index.ts';
import { pgliteDatabase } from '../stores/pglite/index.ts';
import { createCollector, createReporter, createRollouts, telemetryMigrations } from '../systems/telemetry/index.ts';
import { apiToken, roles } from './authenticate.ts';
import { createServerApp } from './create-server-app.ts';
import { telemetryDescriptions } from './descriptions/telemetry-descriptions.ts';
import { routes } from './routes.ts';

const secretOf = (role: string) => role.padEnd(40, '.');
const tokens = roles.map((role) => apiToken({ name: role, role, secret: secretOf(role) }));
const ownPage = { origin: 'http://test', host: 'test' };

describe('telemetry over HTTP', () => {
  let database: SqlDatabase;
  let app: CheckedApp;
  const answered = new Set<string>();
  let batches = 0;

  beforeAll(async () => {
    database = pgliteDatabase({ dir: 'memory' });
    await migrate(database, [telemetryMigrations]);
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await database.query({ text: 'truncate kannuki.telemetry_events, kannuki.rollouts, kannuki.rollout_changes' });
    const rollouts = createRollouts({ database });
    for (const name of app?.answered ?? []) answered.add(name);
    const served = createServerApp({
      store: memoryStore(),
      tokens,
      systems: {
        telemetry: {
          collector: createCollector({ database, limit: { perSecond: 1, burst: 150 } }),
          rollouts,
          reporter: createReporter({ database, rollouts }),
          publishableKey: 'pk-for-tests',
        },
      },
    });
    app = checkedApp(served);
  });

  const ask = async (
    method: string,
    path: string,
    { headers = {}, body, role, address = '10.0.0.1' }: Ask = {},
  ): Promise<{ status: number; headers: Headers; json: unknown }> => {
    const response = await app.fetch(
      new Request(`http://test${path}`, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(role && { authorization: `Bearer ${secretOf(role)}` }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
      address,
    );
    return { status: response.status, headers: response.headers, json: await response.json() };
  };
  interface Ask {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    readonly role?: string;
    readonly address?: string;
  }
  const batch = (events: readonly unknown[] = [{ name: 'autosave.lock.acquired', atMs: 0, strategy: 'web-lock' }]) => ({
    id: `batch-${++batches}-of-the-test`,
    session: `session-${batches}-of-the-test`,
    phase: 'A-0',
    sentAtMs: 0,
    events,
  });
  const stored = async () =>
    (await database.query<{ n: number }>({ text: 'select count(*) as n from kannuki.telemetry_events' })).rows[0]?.n;

  describe('who may', () => {
    for (const route of routes.filter(({ system }) => system === 'telemetry')) {
      for (const identity of ['nobody', 'stranger', ...roles]) {
        it(`${route.method} ${route.path}: ${identity}`, async () => {
          const { status } = await ask(route.method, `${route.path}?client=ada`, {
            ...(route.method === 'POST' && { body: {} }),
            ...(identity !== 'nobody' && { role: identity }),
            headers: route.role === 'anyone' ? ownPage : {},
          });
          const rank = (roles as readonly string[]).indexOf(identity);
          const refusal =
            route.role === 'anyone' || rank >= (roles as readonly string[]).indexOf(route.role)
              ? undefined
              : rank < 0
                ? 401
                : 403;
          if (refusal === undefined) expect([401, 403]).not.toContain(status);
          else expect(status).toBe(refusal);
        });
      }
    }
  });

  it('takes events of its own pages and of those that know the key, and of nobody else', async () => {
    const post = (headers: Record<string, string>, query = '') =>
      ask('POST', `/api/v1/telemetry${query}`, { body: batch(), headers });
    expect((await post(ownPage)).status).toBe(200);
    expect((await post({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await post({ origin: 'https://elsewhere.example' }, '?key=pk-for-tests')).status).toBe(200);
    for (const headers of [
      {},
      { origin: 'https://elsewhere.example' },
      { origin: 'null' },
      { origin: 'http://test', host: 'test', 'sec-fetch-site': 'cross-site' },
    ])
      expect((await post(headers)).status).toBe(403);
    expect((await post({}, '?key=wrong')).status).toBe(403);
    expect(await stored()).toBe(3);
  });

  it('answers hostile batches with 4xx and stores nothing of them', async () => {
    const send = (body: unknown, headers: Record<string, string> = {}) =>
      ask('POST', '/api/v1/telemetry', { body, headers: { ...ownPage, ...headers } });
    expect(await send('{"id"')).toMatchObject({ status: 400, json: { code: 'bad-json' } });
    expect(await send({ ...batch(), document: 'secret text' })).toMatchObject({ status: 400 });
    expect(await send(batch(), { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
    expect(await send('x'.repeat(1_100_000))).toMatchObject({ status: 413 });
    expect(await send(batch([{ name: '<script>' }]))).toMatchObject({
      status: 200,
      json: { accepted: 0, refused: [{ number: 0, reason: 'name: invalid_value' }] },
    });
    expect(await stored()).toBe(0);
  });

  it('slows down an address that sends too much, and only that one', async () => {
    const many = () => batch(Array.from({ length: 100 }, () => ({ name: 'autosave.lock.attempt', atMs: 0 })));
    const send = (address: string) => ask('POST', '/api/v1/telemetry', { body: many(), headers: ownPage, address });
    expect((await send('10.0.0.1')).status).toBe(200);
    const limited = await send('10.0.0.1');
    expect([limited.status, Number(limited.headers.get('retry-after')) > 0]).toEqual([429, true]);
    expect((await send('10.0.0.2')).status).toBe(200);
  });

  it('changes flags by the version that was seen, and says who did', async () => {
    const post = (body: object) => ask('POST', '/api/v1/flags', { body, role: 'operator' });
    expect(await post({ action: 'promote', version: 1 })).toMatchObject({
      status: 200,
      json: { rollout: { phase: 'A-1', version: 2 }, changes: [{ actor: 'operator', action: 'promote' }] },
    });
    expect(await post({ action: 'promote', version: 1 })).toMatchObject({
      status: 409,
      json: { code: 'rollout-changed' },
    });
    expect(await post({ action: 'rollback', version: 2, phase: 'B-1' })).toMatchObject({
      status: 409,
      json: { code: 'no-such-phase' },
    });
    expect(await post({ action: 'set', version: 2, settings: { minSessions: 0 } })).toMatchObject({ status: 400 });
    expect(await post({ action: 'set', version: 2, phase: 'B-1', settings: { minSessions: 5 } })).toMatchObject({
      json: { rollout: { phase: 'B-1', settings: { minSessions: 5, rollback: 'auto' } } },
    });
    expect(await ask('GET', '/api/v1/flags', { role: 'viewer' })).toMatchObject({
      status: 200,
      json: { rollout: { phase: 'B-1' }, changes: [{ action: 'set' }, { action: 'promote' }] },
    });
    expect(await ask('GET', '/api/v1/flags/client?client=ada', { headers: ownPage })).toMatchObject({
      json: { phase: 'B-1', autosave: true },
    });
  });

  it('shows figures, judgement and incidents', async () => {
    await ask('POST', '/api/v1/telemetry', { body: batch(), headers: ownPage });
    expect(await ask('GET', '/api/v1/metrics/lock?windowMs=900000', { role: 'viewer' })).toMatchObject({
      status: 200,
      json: { phase: 'A-0', phases: [{ phase: 'A-0', sessions: 1 }], judgement: { why: 'too-few-sessions' } },
    });
    expect(await ask('GET', '/api/v1/metrics/lock?windowMs=1', { role: 'viewer' })).toMatchObject({ status: 400 });
    expect(await ask('GET', '/api/v1/incidents', { role: 'viewer' })).toMatchObject({ json: { incidents: [] } });
  });

  it('has none of these routes without the system', async () => {
    const bare = createServerApp({ store: memoryStore(), tokens });
    expect((await bare.fetch(new Request('http://test/api/v1/flags'))).status).toBe(404);
  });

  it('every route has answered, and as the reference says', () => {
    expect(Object.keys(telemetryDescriptions).filter((name) => !answered.has(name))).toEqual([]);
  });
});
