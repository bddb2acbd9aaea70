import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkedApp } from '../../../test/servers/checked-app.ts';
import type { SqlDatabase } from '../../core/ports.ts';
import { migrate } from '../../engine/migrate.ts';
import { runOnceMigrations } from '../../engine/run-once/run-once-migrations.ts';
import { pgliteDatabase, pgliteStore } from '../../stores/pglite/index.ts';
import { createJobs, type Jobs } from '../../systems/jobs/index.ts';
import { apiToken } from '../authenticate.ts';
import { createServerApp, type ServerApp } from '../create-server-app.ts';
import { routeDescriptions } from '../route-descriptions.ts';
import { routes } from '../routes.ts';
import { createAnswers } from './create-answers.ts';

const secrets = { admin: 'a'.repeat(64), other: 'o'.repeat(64) };
let database: SqlDatabase;
let jobs: Jobs;
let app: ServerApp;

beforeAll(async () => {
  database = pgliteDatabase({ dir: 'memory' });
  const store = pgliteStore({ database });
  await migrate(database, [...(store.schema?.migrations ?? []), runOnceMigrations]);
  jobs = createJobs({ database });
  jobs.define({ name: 'report', handler: () => undefined });
  await jobs.ready();
  const options = {
    store,
    jobs,
    tokens: [
      apiToken({ name: 'root', role: 'admin', secret: secrets.admin }),
      apiToken({ name: 'other', role: 'admin', secret: secrets.other }),
    ],
    systems: { answers: createAnswers({ database }) },
  };
  app = checkedApp(createServerApp(options));
});
afterAll(async () => {
  await jobs?.close();
  await database?.close();
});

interface Sent {
  readonly key?: string;
  readonly body?: unknown;
  readonly secret?: string;
}

async function post(path: string, { key, body, secret = secrets.admin }: Sent = {}) {
  const response = await app.fetch(
    new Request(`http://test/api/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );
  return {
    status: response.status,
    replayed: response.headers.get('idempotency-replayed') === 'true',
    json: (await response.json()) as Record<string, unknown>,
  };
}

describe('Idempotency-Key', () => {
  it('answers a repeated request from what is kept, and does not do it again', async () => {
    const first = await post('/jobs/report/runs', { key: 'k-1', body: { payload: 1 } });
    expect(first).toMatchObject({ status: 201, replayed: false, json: { created: true } });
    const again = await post('/jobs/report/runs', { key: '"k-1"', body: { payload: 1 } });
    expect(again).toEqual({ ...first, replayed: true });
    const retried = await post(`/jobs/report/pause`, { key: 'k-2', body: { paused: true } });
    await post(`/jobs/report/pause`, { body: { paused: false } });
    expect(await post(`/jobs/report/pause`, { key: 'k-2', body: { paused: true } })).toEqual({
      ...retried,
      replayed: true,
    });
    expect((await jobs.read.job('report'))?.paused).toBe(false);
  });

  it('refuses a key for another body, path or query, and compares that first', async () => {
    await post('/events', { key: 'k-3', body: { name: 'a' } });
    for (const [path, body] of [
      ['/events', { name: 'b' }],
      ['/events?x=1', { name: 'a' }],
      ['/jobs/report/runs', { name: 'a' }],
    ] as const) {
      expect(await post(path, { key: 'k-3', body })).toMatchObject({ status: 422, json: { code: 'key-reused' } });
    }
  });

  it('belongs to its caller', async () => {
    const mine = await post('/jobs/report/pause', { key: 'k-4', body: { paused: true } });
    expect(mine.replayed).toBe(false);
    const theirs = await post('/jobs/report/pause', { key: 'k-4', body: { paused: false }, secret: secrets.other });
    expect(theirs).toMatchObject({ status: 200, replayed: false, json: { paused: false } });
  });

  it('keeps no refusal: what became right in the meantime is served', async () => {
    const body = { payload: 1 };
    expect((await post('/jobs/later/runs', { key: 'k-5', body })).status).toBe(404);
    jobs.define({ name: 'later', handler: () => undefined });
    await jobs.ready();
    expect(await post('/jobs/later/runs', { key: 'k-5', body })).toMatchObject({ status: 201, replayed: false });
  });

  it('says that a request is still under way', async () => {
    const { rows } = await database.query<{ scope: string }>({
      text: `update kannuki.run_once set state = 'running', finished_at = null, answer = null,
             expires_at = now() + interval '1 hour' where key = 'k-1' returning scope`,
    });
    expect(rows).toHaveLength(1);
    const waiting = await post('/jobs/report/runs', { key: 'k-1', body: { payload: 1 } });
    expect(waiting).toMatchObject({ status: 409, json: { code: 'in-flight' } });
  });

  it('of ten at once, one is served and the others hear the same or that it is under way', async () => {
    const asked = Array.from({ length: 10 }, () => post('/events', { key: 'k-6', body: { name: 'crowd' } }));
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status, replayed }) => status === 201 && !replayed)).toHaveLength(1);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
  });

  it('stands for the owner of a lease', async () => {
    const body = { key: 'door', ttlMs: 30_000 };
    const first = await post('/leases/acquire', { key: 'k-7', body });
    expect(await post('/leases/acquire', { key: 'k-7', body })).toMatchObject({
      status: 200,
      replayed: false,
      json: { owner: first.json.owner, lastToken: first.json.lastToken },
    });
    expect((await post('/leases/acquire', { key: 'k-8', body })).status).toBe(409);
    expect((await post('/leases/acquire', { key: 'k-7', body, secret: secrets.other })).status).toBe(409);
    const { owner, lastToken: token } = first.json;
    const release = { key: 'k-9', body: { key: 'door', owner, token } };
    expect(await post('/leases/release', release)).toMatchObject({ json: { released: true }, replayed: false });
    expect(await post('/leases/release', release)).toMatchObject({ json: { released: true }, replayed: true });
  });

  it.each(['', ' ', 'two words', 'é', 'x'.repeat(256)])('refuses the key %j', async (key) => {
    expect((await post('/events', { key, body: { name: 'a' } })).status).toBe(400);
  });

  it('is honoured by every POST that does not say why not; those for nobody in particular all say it', () => {
    const silent = routes.filter(
      ({ method, path }) =>
        method === 'POST' && !('once' in routeDescriptions[`POST ${path}` as keyof typeof routeDescriptions]),
    );
    expect(silent.filter(({ role }) => role === 'anyone' || role === 'internal')).toEqual([]);
    expect(silent.length).toBeGreaterThan(15);
    for (const { method, path } of routes.filter((route) => route.method !== 'POST')) {
      expect(routeDescriptions[`${method} ${path}` as keyof typeof routeDescriptions]).not.toHaveProperty('once');
    }
  });
});
