/**
 * A server needs no right to change tables: the owner migrates, and a role that may only read and write rows runs it.
 * The grants are those of docs/deploy.md.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listServerMigrations } from '../../src/cli/list-server-migrations.ts';
import { migrate } from '../../src/engine/migrate.ts';
import { postgresDatabase, postgresStore } from '../../src/stores/postgres/index.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres-server.ts';
import { type AccessServer, startAccessServer, wideLimits } from './access-server.ts';

let postgres: PostgresServer;
let server: AccessServer;

/** What the documentation tells an owner to run. */
function documentedGrants(): readonly string[] {
  const text = readFileSync(new URL('../../docs/deploy.md', import.meta.url), 'utf8');
  const [, block = ''] = /```sql\n(create role kannuki_app[\s\S]*?)```/.exec(text) ?? [];
  return block
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

beforeAll(async () => {
  postgres = await startPostgres({ major: 15 });
  const owner = postgresDatabase({ connectionString: postgres.url });
  const store = postgresStore({ database: owner });
  await migrate(owner, await listServerMigrations(store.schema?.migrations ?? []));
  const grants = documentedGrants();
  expect(grants.length).toBeGreaterThan(3);
  for (const text of grants) await owner.query({ text });
  await store.close();
  await owner.close();
  const url = new URL(postgres.url);
  url.username = 'kannuki_app';
  url.password = 'long-and-random';
  server = await startAccessServer({ limits: wideLimits, databaseUrl: url.href });
}, 120_000);
afterAll(async () => {
  await server?.close();
  await postgres?.stop();
});

it('serves leases, jobs, tokens, flags, settings and bookings', async () => {
  const acquired = await server.ask('POST', '/api/v1/leases/acquire', 'operator', { key: 'a', ttlMs: 60_000 });
  expect(acquired.status).toBe(200);
  const { key, owner, lastToken: token } = acquired.json;
  const asks: readonly (readonly [string, string, object?])[] = [
    ['POST', '/api/v1/leases/claim', { resource: 'r', token }],
    ['POST', '/api/v1/leases/release', { key, owner, token }],
    [
      'PUT',
      '/api/v1/jobs/report',
      { target: { kind: 'http', url: 'http://a.example' }, schedule: { kind: 'daily', at: '02:30' } },
    ],
    ['POST', '/api/v1/jobs/idle/runs', {}],
    ['POST', '/api/v1/runs/1/cancel', {}],
    ['POST', '/api/v1/runs/1/retry', {}],
    ['POST', '/api/v1/events', { name: 'paid', dedupeKey: 'x' }],
    ['POST', '/api/v1/settings', { key: 'overdue_margin_seconds', value: 33 }],
    ['POST', '/api/v1/tokens', { name: 'ci', role: 'viewer' }],
    ['POST', '/api/v1/sign-in-codes', { name: 'ann', role: 'viewer' }],
    ['POST', '/api/v1/flags', { action: 'promote', version: 1 }],
    ...[
      'overview',
      'guarantees',
      'audit',
      'workers',
      'runs',
      'jobs',
      'leases',
      'alerts',
      'money',
      'mails',
      'slots',
    ].map((list) => ['GET', `/api/v1/${list}`] as const),
    ['GET', '/metrics'],
    ['GET', '/readyz'],
  ];
  for (const [method, path, body] of asks) {
    const { status, text } = await server.ask(method, path, 'admin', body);
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
  }
});

it('may change no table, function or role', async () => {
  for (const text of [
    'create table kannuki.mine (id int)',
    'drop table kannuki.audit',
    'alter table kannuki.audit drop column why',
    'create index on kannuki.job_runs (state)',
    'truncate kannuki.audit',
    'create function kannuki.mine() returns int language sql as $$ select 1 $$',
    'create role another',
  ]) {
    // 42501: insufficient privilege.
    await expect(server.database.query({ text }), text).rejects.toMatchObject({ cause: { code: '42501' } });
  }
});
