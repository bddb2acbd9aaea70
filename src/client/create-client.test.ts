/** The client against the real server, in one process: its `fetch` is the server's. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { checkedApp } from '../../test/servers/checked-app.ts';
import type { SqlDatabase } from '../core/ports.ts';
import { migrate } from '../engine/migrate.ts';
import { runOnceMigrations } from '../engine/run-once/run-once-migrations.ts';
import {
  apiToken,
  type ChangeFeed,
  changeMigrationsFor,
  createAnswers,
  createChangeFeed,
  createServerApp,
} from '../server/index.ts';
import { pgliteDatabase, pgliteStore } from '../stores/pglite/index.ts';
import { createJobs, type JobRun, type Jobs, jobMigrations } from '../systems/jobs/index.ts';
import { createCollector, createReporter, createRollouts, telemetryMigrations } from '../systems/telemetry/index.ts';
import { ClientError } from './client-error.ts';
import { type Client, createClient } from './create-client.ts';
import type { ChangeEvent } from './follow-changes.ts';
import type { ApiRequest, ApiRoute, PagedRoute } from './route-call.ts';

const token = 't'.repeat(64);
let database: SqlDatabase;
let jobs: Jobs;
let feeds: readonly ChangeFeed[];
let client: Client;
/** Servers that answer, by host. */
const servers = new Map<string, { fetch(request: Request): Promise<Response> }>();
let cutStreams = (): void => {};

/** `fetch`, with servers that can go away and streams that can be cut. */
const send: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const server = servers.get(new URL(request.url).host);
  if (!server) throw new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) });
  const response = await server.fetch(request);
  if (response.headers.get('content-type') !== 'text/event-stream' || !response.body) return response;
  const cut = new AbortController();
  cutStreams = () => cut.abort(new Error('cut'));
  return new Response(response.body.pipeThrough(new TransformStream(), { signal: cut.signal }), response);
};

beforeAll(async () => {
  database = pgliteDatabase({ dir: 'memory' });
  const store = pgliteStore({ database });
  const sets = [...(store.schema?.migrations ?? []), runOnceMigrations, jobMigrations, telemetryMigrations];
  await migrate(database, [...sets, ...changeMigrationsFor(sets)]);
  jobs = createJobs({ database });
  jobs.define({ name: 'a/b', handler: () => undefined });
  await jobs.ready();
  const rollouts = createRollouts({ database });
  const telemetry = {
    collector: createCollector({ database }),
    rollouts,
    reporter: createReporter({ database, rollouts }),
  };
  feeds = ['one', 'two'].map((host) => {
    const changes = createChangeFeed({ database, pollMs: 20 });
    const tokens = [apiToken({ name: 'root', role: 'admin', secret: token })];
    const systems = { answers: createAnswers({ database }), changes, telemetry };
    servers.set(host, checkedApp(createServerApp({ store, jobs, tokens, systems })));
    return changes;
  });
  client = createClient({ url: ['http://one/', 'http://two'], token, fetch: send });
});
afterAll(async () => {
  for (const feed of feeds ?? []) await feed.close();
  await jobs?.close();
  await database?.close();
});

describe('leases', () => {
  it('are acquired, renewed, listed, released and waited for', async () => {
    const first = await client.leases.acquire({ key: 'door', ttlMs: 30_000 });
    if (!first.granted) throw new Error('not granted');
    expect(await client.leases.acquire({ key: 'door', ttlMs: 30_000 })).toMatchObject({
      granted: false,
      holder: first.owner,
    });
    expect(await client.leases.renew(first, 30_000)).toBe(true);
    expect((await client.leases.list({ prefix: 'do' })).map(({ key }) => key)).toEqual(['door']);
    const waiting = client.leases.wait({ key: 'door', ttlMs: 30_000 });
    await expect.poll(async () => (await client.leases.list())[0]?.waiting, { timeout: 60_000 }).toBe(1);
    expect(await client.leases.release(first)).toBe(true);
    const second = await waiting;
    if (!second.granted) throw new Error('not granted');
    expect(second.token).toBeGreaterThan(first.token);
    expect(await client.leases.renew(first, 30_000)).toBe(false);
    expect(await client.leases.wait({ key: 'door', ttlMs: 30_000, waitMs: 20 })).toMatchObject({ granted: false });
    await client.leases.release(second);
  });
});

describe('jobs, runs, workers and flags', () => {
  it('are read and acted on; a key makes a repetition harmless', async () => {
    const once = { idempotencyKey: 'order-1' };
    const { runId, created } = await client.jobs.enqueue('a/b', { payload: { order: 1 } }, once);
    expect(created).toBe(true);
    expect(await client.jobs.enqueue('a/b', { payload: { order: 1 } }, once)).toEqual({ runId, created });
    await expect(client.jobs.enqueue('a/b', {}, once)).rejects.toMatchObject({ status: 422, code: 'key-reused' });
    expect((await client.runs.list({ job: 'a/b', state: ['PENDING', 'RUNNING'], limit: 5 }))[0]?.id).toBe(runId);
    expect((await client.runs.get(runId)).run.payload).toEqual({ order: 1 });
    expect(await client.runs.cancel(runId, 'a test')).toEqual({ outcome: 'canceled' });
    expect(await client.runs.log(runId, { limit: 10 })).toMatchObject({ lines: [], ended: true });
    expect(await client.runs.retry(runId)).toMatchObject({ runId: expect.any(Number) });
    expect((await client.jobs.list()).map(({ name }) => name)).toEqual(['a/b']);
    expect((await client.jobs.get('a/b')).job.name).toBe('a/b');
    expect(await client.workers.list()).toEqual([]);
    await expect(client.workers.drain(7)).rejects.toMatchObject({ status: 404 });
    const { rollout } = await client.flags.get();
    const changed = await client.flags.change({ action: 'promote', version: rollout.version });
    expect(changed.rollout.phase).toBe('A-1');
  });

  it('are read page after page', async () => {
    for (let n = 0; n < 5; n++) await client.jobs.enqueue('a/b');
    const all = await client.runs.list({ limit: 1_000 });
    const found: number[] = [];
    for await (const { runs } of client.pages('GET /api/v1/runs', { query: { job: 'a/b', limit: 2 } })) {
      expect(runs.length).toBeLessThanOrEqual(2);
      found.push(...runs.map(({ id }) => id));
    }
    expect(found).toEqual(all.map(({ id }) => id));
  });

  it('are typed by the table of routes', () => {
    expectTypeOf(client.call<'GET /api/v1/runs'>).returns.resolves.toExtend<{
      readonly runs: readonly JobRun[];
      readonly cursor?: string;
    }>();
    expectTypeOf<'GET /api/v1/settings'>().not.toExtend<PagedRoute>();
    expectTypeOf<'GET /api/v1/nothing'>().not.toExtend<ApiRoute>();
    // A stream has no single answer.
    expectTypeOf<'GET /api/v1/stream'>().not.toExtend<ApiRoute>();
    expectTypeOf<ApiRequest<'GET /api/v1/runs/:id'>>().toHaveProperty('params');
    expectTypeOf<{ body: { key: string } }>().not.toExtend<ApiRequest<'POST /api/v1/leases/acquire'>>();
    expectTypeOf<{ body: { key: string; ttlMs: number } }>().toExtend<ApiRequest<'POST /api/v1/leases/acquire'>>();
  });
});

describe('failures', () => {
  it('are told as the server told them, or as what is known', async () => {
    await expect(client.runs.get(99_999)).rejects.toMatchObject({ status: 404, code: 'not-found', retryable: false });
    const stranger = createClient({ url: 'http://one', token: 'x', fetch: send });
    await expect(stranger.jobs.list()).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
    const nobody = createClient({ url: 'http://nowhere', token, fetch: send });
    await expect(nobody.jobs.enqueue('a/b')).rejects.toMatchObject({ code: 'unreachable', retryable: true });
    const broken = createClient({ url: 'http://one', token, fetch: () => Promise.reject(new TypeError('reset')) });
    await expect(broken.jobs.enqueue('a/b')).rejects.toMatchObject({ code: 'unknown-outcome', retryable: true });
    await expect(broken.jobs.list()).rejects.toBeInstanceOf(ClientError);
  });

  it('of one server send the next request to another', async () => {
    const one = servers.get('one');
    servers.delete('one');
    expect(await client.jobs.list()).toHaveLength(1);
    if (one) servers.set('one', one);
  });
});

describe('changes', () => {
  it('go on over a cut and on another server, without a gap and without a reset', async () => {
    const stop = new AbortController();
    const heard: ChangeEvent[] = [];
    let onNews = (): void => {};
    const following = (async () => {
      for await (const event of client.changes({ signal: stop.signal })) {
        heard.push(event);
        onNews();
      }
    })();
    const until = async (found: (event: ChangeEvent) => boolean): Promise<void> => {
      while (!heard.some(found)) {
        await new Promise<void>((resolve) => {
          onNews = resolve;
        });
      }
    };
    const write = (key: string) =>
      database.query({
        text: `insert into kannuki.settings (key, value, updated_by) values ($1, '1', 'test')`,
        values: [key],
      });
    const tells = (id: string) => (event: ChangeEvent) => event.kind === 'change' && event.id === id;
    await until(({ kind }) => kind === 'reset');
    await write('first');
    await until(tells('first'));
    const gone = [...servers].filter((_, at) => (feeds[at]?.size ?? 0) > 0);
    expect(gone).toHaveLength(1);
    for (const [host] of gone) servers.delete(host);
    cutStreams();
    await write('while away');
    await until(tells('while away'));
    await write('last');
    await until(tells('last'));
    expect(heard.filter(({ kind }) => kind === 'reset')).toHaveLength(1);
    for (const [host, server] of gone) servers.set(host, server);
    stop.abort();
    await following;
  });
});

it('nothing of the server, of zod or of Node is loaded by it', () => {
  const dir = new URL('.', import.meta.url);
  for (const name of readdirSync(dir).filter((file) => !file.includes('.test.'))) {
    for (const [line] of readFileSync(new URL(name, dir), 'utf8').matchAll(/^(import|export) .*from .*$/gm)) {
      if (/server\/|'zod'|node:/.test(line)) expect(line).toMatch(/^(import|export) type /);
    }
  }
});
