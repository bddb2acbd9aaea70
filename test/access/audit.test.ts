/**
 * Every act of an operator and its audit row are one: each leaves exactly one row, and none happens when the row cannot
 * be written. All systems of a server on its private database.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/server/routes.ts';
import { type AccessServer, startAccessServer } from './access-server.ts';

interface Act {
  readonly name: string;
  /** Makes what is acted on; what it answers is given to the others. */
  readonly prepare?: (server: AccessServer) => Promise<unknown>;
  readonly request: (made: never) => readonly [method: string, path: string, body: object];
  /** What must not have changed after a refusal. */
  readonly state: string;
  readonly row: { readonly action: string; readonly target: RegExp };
}

const text = (sql: string): string => sql;

const acts: readonly Act[] = [
  {
    name: 'break a lease',
    prepare: (server) => server.ask('POST', '/api/v1/leases/acquire', 'admin', { key: 'deploy', ttlMs: 600_000 }),
    request: () => ['POST', '/api/v1/leases/break', { key: 'deploy', reason: 'gone' }],
    state: text('select key, owner, token from kannuki.leases order by key'),
    row: { action: 'break', target: /^lease\/deploy$/ },
  },
  {
    name: 'define a job',
    request: () => [
      'PUT',
      '/api/v1/jobs/report',
      { target: { kind: 'http', url: 'http://h/', headers: { a: 'S3cr3t' } } },
    ],
    state: text('select name, target from kannuki.job_definitions order by name'),
    row: { action: 'edit', target: /^job\/report$/ },
  },
  {
    name: 'pause a job',
    request: () => ['POST', '/api/v1/jobs/idle/pause', { paused: true }],
    state: text('select name, paused from kannuki.job_definitions order by name'),
    row: { action: 'edit', target: /^job\/idle$/ },
  },
  {
    name: 'cancel a run',
    prepare: async (server) => (await server.ask('POST', '/api/v1/jobs/idle/runs', 'admin', {})).json.runId,
    request: (id) => ['POST', `/api/v1/runs/${id}/cancel`, {}],
    state: text('select id, state from kannuki.job_runs_all order by id'),
    row: { action: 'cancel', target: /^run\/\d+$/ },
  },
  {
    name: 'retry a run',
    prepare: async (server) => {
      const { runId } = (await server.ask('POST', '/api/v1/jobs/idle/runs', 'admin', {})).json;
      await server.ask('POST', `/api/v1/runs/${runId}/cancel`, 'admin', {});
      return runId;
    },
    request: (id) => ['POST', `/api/v1/runs/${id}/retry`, {}],
    state: text('select id, state from kannuki.job_runs_all order by id'),
    row: { action: 'retry', target: /^run\/\d+$/ },
  },
  {
    name: 'change a setting',
    request: () => ['POST', '/api/v1/settings', { key: 'overdue_margin_seconds', value: 33 }],
    state: text('select key, value from kannuki.settings order by key'),
    row: { action: 'edit', target: /^setting\/overdue_margin_seconds$/ },
  },
  {
    name: 'demote the leader',
    request: () => ['POST', '/api/v1/leader/demote', {}],
    state: text('select key, owner, token from kannuki.leases order by key'),
    row: { action: 'demote', target: /leader/ },
  },
  {
    name: 'promote the rollout',
    prepare: async (server) => (await server.ask('GET', '/api/v1/flags', 'admin')).json.rollout.version,
    request: (version) => ['POST', '/api/v1/flags', { action: 'promote', version }],
    state: text('select name, phase, version from kannuki.rollouts'),
    row: { action: 'promote', target: /^rollout\/autosave$/ },
  },
  {
    name: 'make a token',
    request: () => ['POST', '/api/v1/tokens', { name: 'ci', role: 'viewer' }],
    state: text('select id from kannuki.api_tokens order by id'),
    row: { action: 'create', target: /^token\// },
  },
  {
    name: 'revoke a token',
    prepare: async (server) =>
      (await server.ask('POST', '/api/v1/tokens', 'admin', { name: 'ci', role: 'viewer' })).json.id,
    request: (id) => ['POST', `/api/v1/tokens/${id}/revoke`, {}],
    state: text('select id, revoked_at from kannuki.api_tokens order by id'),
    row: { action: 'revoke', target: /^token\// },
  },
  {
    name: 'fix a film',
    prepare: async ({ database }) => {
      const { rows } = await database.query<{ id: number }>({
        text: `with u as (insert into kannuki.users (email, name, locale) values ('a@example.jp', 'A', 'ja') returning id)
insert into kannuki.videos (user_id, title, status, failed_at) select u.id, 'film', 'failed', now() from u returning id`,
      });
      return rows[0]?.id;
    },
    request: (id) => ['POST', `/api/v1/videos/${id}/fixed`, { renderUrl: 'https://films.example/1.mp4' }],
    state: text('select id, status from kannuki.videos order by id'),
    row: { action: 'marked as fixed', target: /^video\/\d+$/ },
  },
  {
    name: 'cancel a reservation',
    prepare: (server) => holdSlot(server),
    request: (id) => ['POST', `/api/v1/reservations/${id}/cancel`, {}],
    state: text('select id, status from kannuki.reservations order by id'),
    row: { action: 'admin cancels', target: /^reservation\/\d+$/ },
  },
  {
    name: 'send a mail again',
    prepare: async (server) => {
      const id = await holdSlot(server);
      await server.ask('POST', `/api/v1/reservations/${id}/cancel`, 'admin', {});
      await server.database.query({ text: "update kannuki.notifications set state = 'sent'" });
      const { rows } = await server.database.query<{ id: number }>({
        text: 'select max(id) as id from kannuki.notifications',
      });
      return rows[0]?.id;
    },
    request: (id) => ['POST', `/api/v1/notifications/${id}/again`, {}],
    state: text('select id, key from kannuki.notifications order by id'),
    row: { action: 'mail sent again', target: /^reservation\/\d+$/ },
  },
  ...(['detach', 'drain'] as const).map(
    (act): Act => ({
      name: `${act} a worker`,
      prepare: async ({ database }) =>
        (await database.query<{ id: number }>({ text: "insert into kannuki.workers (name) values ('w') returning id" }))
          .rows[0]?.id,
      request: (id) => ['POST', `/api/v1/workers/${id}/${act}`, {}],
      state: text('select id, state from kannuki.workers order by id'),
      row: { action: act, target: /^worker\/\d+$/ },
    }),
  ),
  {
    name: 'reassign a run',
    prepare: async (server) => {
      const { runId } = (await server.ask('POST', '/api/v1/jobs/idle/runs', 'admin', {})).json;
      await server.database.query({
        text: "update kannuki.job_runs set state = 'ASSIGNED', assigned_worker_id = 1, assigned_at = now() where id = $1",
        values: [runId],
      });
      return runId;
    },
    request: (id) => ['POST', `/api/v1/runs/${id}/reassign`, {}],
    state: text('select id, state from kannuki.job_runs order by id'),
    row: { action: 'reassign', target: /^run\/\d+$/ },
  },
  {
    name: 'cancel what matches',
    prepare: async (server) => (await server.ask('POST', '/api/v1/jobs/idle/runs', 'admin', {})).json.runId,
    request: (id) => ['POST', '/api/v1/run-acts', { action: 'cancel', filter: { ids: [Number(id)] }, expected: 1 }],
    state: text('select id, state from kannuki.job_runs_all order by id'),
    row: { action: 'cancel', target: /./ },
  },
  {
    name: 'make a sign-in link',
    request: () => ['POST', '/api/v1/sign-in-codes', { name: 'ada', role: 'viewer' }],
    state: text('select sha256 from kannuki.sign_in_codes order by sha256'),
    row: { action: 'create', target: /^sign-in\/ada$/ },
  },
];

/** What changes something and leaves no row, and why. */
const unaudited: Readonly<Record<string, string>> = {
  'POST /api/v1/events': 'work: the event is the record',
  'POST /api/v1/jobs/:name/runs': 'work: the run is the record',
  'POST /api/v1/leases/acquire': 'work: the lease is the record',
  'POST /api/v1/leases/acquire-all': 'work: the lease is the record',
  'POST /api/v1/leases/claim': 'work: the fence is the record',
  'POST /api/v1/leases/leave': 'work: a place in a line',
  'POST /api/v1/leases/release': 'work: the lease is the record',
  'POST /api/v1/leases/renew': 'work: the lease is the record',
  'POST /api/v1/sandbox': 'play: no money, no database',
  'POST /api/v1/sandbox/sessions/:session': 'play: no money, no database',
};

/** Its row is written by the statement that writes that of a cancelled reservation. */
const elsewhere: readonly string[] = ['POST /api/v1/payments/:id/refund'];

it('has a test for every act of an operator, or a reason', () => {
  const tested = acts
    .map(({ request }) => request('1' as never).slice(0, 2))
    .map(([method, path]) => routeOf(method, path));
  const changing = routes.filter(({ method, role }) => method !== 'GET' && (role === 'operator' || role === 'admin'));
  const names = changing.map(({ method, path }) => `${method} ${path}`);
  expect(names.filter((name) => ![...tested, ...elsewhere, ...Object.keys(unaudited)].includes(name))).toEqual([]);
});

async function holdSlot(server: AccessServer): Promise<number> {
  const ask = async (method: string, path: string, body?: object) => {
    const headers = {
      cookie: server.customerCookie,
      'sec-fetch-site': 'same-origin',
      ...(body && { 'content-type': 'application/json' }),
    };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return (await server.app.fetch(new Request(`http://test${path}`, init))).json();
  };
  const { days } = (await ask('GET', '/api/v1/booking/days?days=31')) as {
    days: { date: string; slots: { slotNumber: number; availability: string }[] }[];
  };
  const free = days.flatMap(({ date, slots }) =>
    slots
      .filter(({ availability }) => availability === 'free')
      .map(({ slotNumber }) => ({ projectionDate: date, slotNumber })),
  );
  const held = (await ask('POST', '/api/v1/booking/hold', {
    ...free.at(-1),
    idempotencyKey: crypto.randomUUID(),
    name: 'A',
    email: 'a@example.jp',
    filmTitle: 'film',
    locale: 'en',
  })) as { reservation?: { id: number } };
  if (!held.reservation) throw new Error(`Nothing was held: ${JSON.stringify(held)}`);
  return held.reservation.id;
}

function routeOf(method: unknown, path: unknown): string {
  const found = routes.find(
    (route) => route.method === method && new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(String(path)),
  );
  return `${found?.method} ${found?.path}`;
}

describe('the audit', () => {
  let server: AccessServer;
  beforeAll(async () => {
    server = await startAccessServer();
  });
  afterAll(() => server.close());

  const read = async (sql: string) => JSON.stringify((await server.database.query({ text: sql })).rows);
  const rows = async () =>
    (
      await server.database.query<{ id: number; actor: string; action: string; target: string }>({
        text: 'select id, actor, action, target from kannuki.audit order by id',
      })
    ).rows;

  it.each(acts)('$name: one row with the act, no act without the row', async ({ prepare, request, state, row }) => {
    const made = (await prepare?.(server)) as never;
    const [method, path, body] = request(made);
    const stateBefore = await read(state);
    const rowsBefore = await rows();
    await server.database.query({ text: 'alter table kannuki.audit add constraint closed check (false) not valid' });
    const refused = await server.ask(method, path, 'admin', body);
    await server.database.query({ text: 'alter table kannuki.audit drop constraint closed' });
    expect(refused.status).toBe(500);
    expect(await read(state)).toBe(stateBefore);
    expect(await rows()).toEqual(rowsBefore);

    expect((await server.ask(method, path, 'admin', body)).status).toBeLessThan(300);
    const added = (await rows()).slice(rowsBefore.length);
    expect(added).toMatchObject([{ actor: 'the-admin', action: row.action }]);
    expect(added[0]?.target).toMatch(row.target);
  });

  it('writes no row when the act fails after it', async () => {
    await server.ask('POST', '/api/v1/leases/acquire', 'admin', { key: 'held', ttlMs: 600_000 });
    const before = await rows();
    await server.database.query({
      text: 'alter table kannuki.lease_breaks add constraint closed check (false) not valid',
    });
    const failed = await server.ask('POST', '/api/v1/leases/break', 'admin', { key: 'held', reason: 'gone' });
    await server.database.query({ text: 'alter table kannuki.lease_breaks drop constraint closed' });
    expect(failed.status).toBeGreaterThanOrEqual(500);
    expect(await rows()).toEqual(before);
  });

  it('is read page after page, newest first, without what headers hold', async () => {
    const all = await rows();
    const seen: number[] = [];
    for (let place = ''; ; ) {
      const { json } = await server.ask('GET', `/api/v1/audit?limit=4${place}`, 'viewer');
      seen.push(...json.entries.map(({ id }: { id: number }) => id));
      if (json.cursor === undefined) break;
      place = `&cursor=${json.cursor}`;
    }
    expect(seen).toEqual(all.map(({ id }) => id).reverse());
    const { json } = await server.ask('GET', '/api/v1/audit?action=edit&target=job/report', 'viewer');
    expect(json.entries[0].after.target.headers).toEqual({ a: '[redacted]' });
    expect(JSON.stringify((await server.ask('GET', '/api/v1/audit?limit=1000', 'viewer')).json)).not.toContain(
      'S3cr3t',
    );
    expect(JSON.stringify((await server.ask('GET', '/api/v1/jobs', 'viewer')).json)).not.toContain('S3cr3t');
    expect(JSON.stringify((await server.ask('GET', '/api/v1/jobs', 'admin')).json)).toContain('S3cr3t');
  });
});
