/**
 * Every act of an operator and its audit row are one: each leaves exactly one row, and none happens when the row cannot
 * be written. All systems of a server on one PGlite.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    name: 'make a sign-in link',
    request: () => ['POST', '/api/v1/sign-in-codes', { name: 'ada', role: 'viewer' }],
    state: text('select sha256 from kannuki.sign_in_codes order by sha256'),
    row: { action: 'create', target: /^sign-in\/ada$/ },
  },
];

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
    for (let next: number | null = null; ; ) {
      const { json } = await server.ask(
        'GET',
        `/api/v1/audit?limit=4${next === null ? '' : `&beforeId=${next}`}`,
        'viewer',
      );
      seen.push(...json.entries.map(({ id }: { id: number }) => id));
      next = json.next;
      if (next === null) break;
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
