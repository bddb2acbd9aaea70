/**
 * Every list, read page after page while rows come and go between the pages: what was there all the time is seen once,
 * nothing is seen twice. A list of the route table that is not named here fails the last test.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { descriptionOf } from '../../src/server/route-descriptions.ts';
import { routes } from '../../src/server/routes.ts';
import { checkedApp } from '../servers/checked-app.ts';
import { type AccessServer, secrets, startAccessServer, wideLimits } from './access-server.ts';

interface List {
  readonly path: string;
  /** Of the rows in the answer. */
  readonly rows: string;
  readonly idOf: (row: Readonly<Record<string, unknown>>) => unknown;
  /** Adds a row that is new to the list, somewhere in it. */
  readonly add: (n: number) => Promise<unknown>;
  /** Absent: rows of this list are never removed. */
  readonly remove?: (id: unknown) => Promise<unknown>;
}

let server: AccessServer;
const sql = (text: string, ...values: unknown[]) => server.database.query<{ id: number }>({ text, values });
const removeFrom =
  (table: string, column = 'id') =>
  (id: unknown) =>
    sql(`delete from kannuki.${table} where ${column} = $1`, id);

beforeAll(async () => {
  server = await startAccessServer({ limits: wideLimits });
  await sql(`insert into kannuki.users (id, email, name) values (1, 'a@b.example', 'a')`);
  await sql(`insert into kannuki.videos (id, user_id, title) values (1, 1, 'film')`);
  const [body = ''] = (server.customerCookie.split('=')[1] ?? '').split('.');
  const { visitor } = JSON.parse(Buffer.from(body, 'base64url').toString()) as { visitor: string };
  await sql(`insert into kannuki.customers (visitor, user_id, since) values ($1, 1, now())`, visitor);
  await server.ask('GET', '/api/v1/flags', 'viewer');
});
afterAll(() => server?.close());

const addReservation = (n: number) =>
  sql(
    `insert into kannuki.reservations (user_id, video_id, projection_date, slot_number, status, hold_expires_at,
  idempotency_key, amount, currency, slot_starts_at, created_at, updated_at)
values (1, 1, '2026-01-01', $1::int, 'expired', now(), 'key-' || $1::int, 1, 'JPY', now(), now(), now())`,
    n,
  );
const id = (row: Readonly<Record<string, unknown>>): unknown => row.id;
const version = (row: Readonly<Record<string, unknown>>): unknown => row.version;
const perPhase = { 'A-0': 0, 'A-1': 0, 'A-2': 0, 'B-0': 0, 'B-1': 0 };
const settings = { shares: perPhase, thresholds: perPhase, minSessions: 1, windowMs: 60_000, rollback: 'auto' };

const lists: readonly List[] = [
  {
    path: '/api/v1/leases?prefix=page',
    rows: 'leases',
    idOf: ({ key, token }) => `${key} ${token}`,
    // Some keys have several holders: a page may end between them.
    add: (n) =>
      server.ask('POST', '/api/v1/leases/acquire', 'operator', {
        key: `page/${(n * 7) % 5}`,
        ttlMs: 600_000,
        shared: true,
      }),
    remove: async (shown) => {
      const [key = '', token] = String(shown).split(' ');
      const { json } = await server.ask('GET', `/api/v1/leases?prefix=${key}&limit=1000`, 'viewer');
      const { owner } = json.leases.find((lease: { token: number }) => lease.token === Number(token));
      const body = { key, owner, token: Number(token), shared: true };
      return server.ask('POST', '/api/v1/leases/release', 'operator', body);
    },
  },
  {
    path: '/api/v1/jobs',
    rows: 'jobs',
    idOf: ({ name }) => name,
    add: (n) =>
      server.ask('PUT', `/api/v1/jobs/job-${(n * 7) % 31}`, 'admin', {
        target: { kind: 'http', url: 'http://a.example' },
      }),
    remove: removeFrom('job_definitions', 'name'),
  },
  {
    path: '/api/v1/jobs/idle/slots',
    rows: 'slots',
    idOf: ({ scheduledForMs }) => scheduledForMs,
    add: (n) =>
      sql(
        `insert into kannuki.job_slots (job_definition_id, scheduled_for, outcome, leader_epoch)
select id, to_timestamp($1::float8 * 60 + 0.123), 'fired', 1 from kannuki.job_definitions where name = 'idle'`,
        (n * 7) % 31,
      ),
    remove: (at) => sql('delete from kannuki.job_slots where scheduled_for = to_timestamp($1::float8 / 1000)', at),
  },
  {
    path: '/api/v1/runs',
    rows: 'runs',
    idOf: id,
    add: () => server.jobs.enqueue('idle', {}),
    remove: removeFrom('job_runs'),
  },
  {
    path: '/api/v1/runs/1/refusals',
    rows: 'refusals',
    idOf: id,
    add: () => sql(`insert into kannuki.job_refusals (run_id, wanted, reason) values (1, 'FAILED', 'stale-epoch')`),
    remove: removeFrom('job_refusals'),
  },
  {
    path: '/api/v1/workers',
    rows: 'workers',
    idOf: id,
    add: (n) => sql('insert into kannuki.workers (name) values ($1)', `w${n}`),
    remove: removeFrom('workers'),
  },
  {
    path: '/api/v1/analyses',
    rows: 'analyses',
    idOf: ({ analysisId }) => analysisId,
    add: (n) => sql('insert into kannuki.analyses (analysis_id) values ($1)', `a${(n * 7) % 31}`),
    remove: removeFrom('analyses', 'analysis_id'),
  },
  {
    path: '/api/v1/audit',
    rows: 'entries',
    idOf: id,
    add: () => sql(`insert into kannuki.audit (actor, action, target) values ('a', 'b', 'c')`),
  },
  {
    path: '/api/v1/tokens',
    rows: 'tokens',
    idOf: id,
    add: (n) => server.ask('POST', '/api/v1/tokens', 'admin', { name: `t${n}`, role: 'viewer' }),
  },
  {
    path: '/api/v1/flags',
    rows: 'changes',
    idOf: version,
    add: (n) =>
      sql(
        `insert into kannuki.rollout_changes (rollout, version, at, actor, action, before, after)
values ('autosave', $1::bigint, now(), 'a', 'set', $2::jsonb, $2::jsonb)`,
        1_000 + n,
        JSON.stringify({ phase: 'A-0', settings }),
      ),
  },
  {
    path: '/api/v1/incidents',
    rows: 'incidents',
    idOf: version,
    add: (n) =>
      sql(
        `insert into kannuki.incidents
(rollout, version, at, phase, outcome, sessions, readonly_sessions, threshold, window_ms)
values ('autosave', $1::bigint, now(), 'A-1', 'proposed', 1, 1, 0, 1)`,
        n,
      ),
    remove: removeFrom('incidents', 'version'),
  },
  {
    path: '/api/v1/alerts?open=false',
    rows: 'alerts',
    idOf: id,
    add: (n) =>
      sql(
        `insert into kannuki.alerts (rule, subject, level, opened_at) values ('dispute', $1, 'warning', now())`,
        `payment/${n}`,
      ),
    // One that closes keeps its place; one that is forgotten is gone.
    remove: async (given) => {
      await sql('update kannuki.alerts set closed_at = now() where id > $1', given);
      return removeFrom('alerts')(given);
    },
  },
  {
    path: '/api/v1/races',
    rows: 'races',
    idOf: id,
    add: () =>
      sql(`insert into kannuki.race_log (scenario, resolution, timestamp) values ('SLOT_CONFLICT', 'REFUNDED', now())`),
    remove: removeFrom('race_log'),
  },
  {
    path: '/api/v1/mails',
    rows: 'mails',
    idOf: id,
    add: (n) =>
      sql(
        `insert into kannuki.sandbox_mails (message_id, recipient, template, locale, subject, body, at)
values ($1, 'a', 'hold', 'en', 's', 't', now())`,
        `m${n}`,
      ),
    remove: removeFrom('sandbox_mails'),
  },
  {
    path: '/api/v1/reservations',
    rows: 'reservations',
    idOf: id,
    add: addReservation,
    remove: removeFrom('reservations'),
  },
  {
    path: '/api/v1/booking/reservations',
    rows: 'reservations',
    idOf: id,
    add: (n) => addReservation(1_000 + n),
    remove: removeFrom('reservations'),
  },
];

const withQuery = (path: string, more: string): string => `${path}${path.includes('?') ? '&' : '?'}${more}`;

/** As an admin, and as a customer where only they may. */
async function read(path: string): Promise<{ status: number; json: Readonly<Record<string, unknown>> }> {
  const isOwn = path.startsWith('/api/v1/booking/');
  const headers: Record<string, string> = isOwn
    ? { cookie: server.customerCookie }
    : { authorization: `Bearer ${secrets.admin}` };
  const response = await checkedApp(server.app).fetch(new Request(`http://test${path}`, { headers }), '127.0.0.1');
  return { status: response.status, json: (await response.json()) as Readonly<Record<string, unknown>> };
}

async function readPage({ path, rows, idOf }: List, limit: number, cursor?: string) {
  const more = `limit=${limit}${cursor === undefined ? '' : `&cursor=${cursor}`}`;
  const { status, json } = await read(withQuery(path, more));
  expect(status, JSON.stringify(json)).toBe(200);
  return {
    ids: (json[rows] as Readonly<Record<string, unknown>>[]).map(idOf),
    cursor: json.cursor as string | undefined,
  };
}

describe.each(lists.map((list) => [list.path, list] as const))('%s', (_path, list) => {
  it('shows each row once, whatever comes and goes between the pages', async () => {
    for (let n = 1; n <= 8; n++) await list.add(n);
    const before = (await readPage(list, 1_000)).ids;
    expect(before.length).toBeGreaterThanOrEqual(8);
    const seen: unknown[] = [];
    const gone = new Set<unknown>();
    let n = 8;
    for (let cursor: string | undefined; ; ) {
      const page = await readPage(list, 3, cursor);
      expect(page.ids.length).toBeLessThanOrEqual(3);
      seen.push(...page.ids);
      if (page.cursor === undefined) break;
      ({ cursor } = page);
      if (n < 14) await list.add(++n);
      // The very row that the cursor stands on, and one that was not shown yet.
      const unseen = before.findLast((one) => !seen.includes(one) && !gone.has(one));
      for (const one of [page.ids.at(-1), unseen]) {
        if (!list.remove || one === undefined || gone.has(one) || gone.size >= 4) continue;
        gone.add(one);
        await list.remove(one);
      }
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(before.filter((one) => !gone.has(one) && !seen.includes(one))).toEqual([]);
  });

  it('refuses cursors that are not its own and limits beyond a page, with a sentence', async () => {
    const foreign = Buffer.from(JSON.stringify(['another', 1])).toString('base64url');
    const own = { leases: 'leases', jobs: 'jobs', tokens: 'tokens' }[list.rows] ?? 'runs';
    const [odd = '', nul = '', half = ''] = [{ a: 1 }, 'a\u0000b', '\ud800'].map((place) =>
      Buffer.from(JSON.stringify([own, place])).toString('base64url'),
    );
    for (const cursor of [foreign, odd, nul, half, '1', '', 'x'.repeat(3_000), '%F0%9F%8E%AC', 'W10', 'bnVsbA']) {
      const { status, json } = await read(withQuery(list.path, `cursor=${cursor}`));
      expect({ status, code: json.code }, cursor).toEqual({ status: 400, code: 'invalid-argument' });
      if (cursor.length < 100) expect(json.detail).toMatch(/^"cursor": is not a cursor of this list; /);
    }
    for (const limit of ['0', '-1', '1001', '1e9', 'x', '1.5']) {
      expect((await read(withQuery(list.path, `limit=${limit}`))).status, limit).toBe(400);
    }
  });
});

it('an analysis is shown with what was found, and secrets in it are not', async () => {
  await sql(
    `insert into kannuki.analyses (analysis_id, status, input, result, result_token)
values ('one/2', 'READY', '{"password":"S3cr3t"}', '7', 3)`,
  );
  const found = await read('/api/v1/analyses/one%2F2');
  expect(found).toMatchObject({ status: 200, json: { analysis: { status: 'READY', result: 7, resultToken: 3 } } });
  expect(JSON.stringify(found.json)).not.toContain('S3cr3t');
  const ready = await read('/api/v1/analyses?status=READY');
  expect(ready.json.analyses).toMatchObject([{ analysisId: 'one/2' }]);
  for (const path of ['none', '%00', 'x'.repeat(2_000)])
    expect((await read(`/api/v1/analyses/${path}`)).status, path.slice(0, 9)).toBeOneOf([400, 404]);
});

it('a cursor of leases is one of its prefix', async () => {
  const { cursor } = await readPage(lists[0] as List, 1);
  const { status, json } = await read(`/api/v1/leases?prefix=other&cursor=${cursor}`);
  expect(status).toBe(400);
  expect(json.detail).toBe('"cursor": is a cursor of this list with another prefix.');
});

it.each([
  ['/api/v1/slots', 'days'],
  ['/api/v1/booking/days', 'days'],
  ['/api/v1/overview', 'minutes'],
  ['/api/v1/run-counts?fromMs=0&toMs=1', 'parts'],
  ['/api/v1/runs/1/log', 'limit'],
  ['/api/v1/metrics/lock', 'windowMs'],
])('%s refuses every "%s" out of bounds', async (path, name) => {
  for (const value of ['1000000000', '1e9', '-1', '0', '0.5', 'NaN', 'Infinity', '9'.repeat(400), '']) {
    const { status, json } = await read(withQuery(path, `${name}=${value}`));
    expect({ status, code: json.code }, value).toEqual({ status: 400, code: 'invalid-argument' });
  }
});

it('every list of the route table is read here, and every array of a GET is a list or bounded', () => {
  /** What is small by its nature. */
  const bounded = new Map([
    ['/api/v1/booking/days', 'at most 31 days'],
    ['/api/v1/slots', 'at most 31 days'],
    ['/api/v1/sandbox', 'the newest 50'],
    ['/api/v1/jobs/:name', 'the next five times'],
    ['/api/v1/runs/:id', 'the steps of one run'],
    ['/api/v1/runs/:id/log', 'has `after`, as a log is followed while it grows'],
    ['/api/v1/run-counts', 'at most 500 parts'],
    ['/api/v1/overview', 'at most 1,440 minutes'],
    ['/api/v1/guarantees', 'one row for each guarantee'],
    ['/api/v1/metrics/lock', 'five phases'],
    ['/api/v1/reservations/:id', 'the steps of one reservation'],
    ['/api/v1/booking/reservations/:id', 'the steps of one reservation'],
    ['/api/v1/money', 'at most 1,000 that do not balance'],
  ]);
  const known = new Set(
    lists.map(({ path }) => path.split('?')[0]?.replace('/idle/', '/:name/').replace('/1/', '/:id/')),
  );
  for (const { method, path } of routes) {
    const { answer } = descriptionOf({ method, path });
    if (method !== 'GET' || !(answer instanceof z.ZodType) || path === '/openapi.json') continue;
    const hasArray = JSON.stringify(z.toJSONSchema(answer, { unrepresentable: 'any' })).includes('"type":"array"');
    if (!hasArray) continue;
    expect(known.has(path) || bounded.has(path), path).toBe(true);
  }
});
