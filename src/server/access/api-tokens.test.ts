import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { platform } from '#platform';
import type { SqlDatabase } from '../../core/ports.ts';
import { migrate } from '../../engine/migrate.ts';
import { memoryStore } from '../../stores/memory/index.ts';
import { pgliteDatabase } from '../../stores/pglite/index.ts';
import { apiToken, type Role } from '../authenticate.ts';
import { createServerApp, type ServerApp } from '../create-server-app.ts';
import { accessMigrations } from './access-migrations.ts';
import { createApiTokens } from './create-api-tokens.ts';

const root = 'r'.repeat(40);

describe('tokens', () => {
  let database: SqlDatabase;
  /** Two servers on one database. */
  let servers: readonly [ServerApp, ServerApp];
  const start = (): ServerApp =>
    createServerApp({
      store: memoryStore(),
      tokens: [apiToken({ name: 'root', role: 'admin', secret: root })],
      systems: { apiTokens: createApiTokens({ database }) },
    });

  beforeAll(async () => {
    database = pgliteDatabase({ dir: 'memory' });
    await migrate(database, [accessMigrations]);
    servers = [start(), start()];
  });
  afterAll(() => database.close());

  const ask = async (method: string, path: string, bearer: string, body?: object, server = servers[0]) => {
    const response = await server.fetch(
      new Request(`http://test${path}`, {
        method,
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    // biome-ignore lint/suspicious/noExplicitAny: a JSON body of any shape, looked into by the assertions.
    const json: any = await response.json();
    return { status: response.status, json };
  };
  const create = async (role: Role, lastsMs?: number) =>
    (await ask('POST', '/api/v1/tokens', root, { name: 'ci', role, ...(lastsMs && { lastsMs }) })).json;
  const everything = async (): Promise<string> => {
    const { rows: tokens } = await database.query({ text: 'select * from kannuki.api_tokens' });
    const { rows: audit } = await database.query({ text: 'select * from kannuki.audit' });
    return JSON.stringify({ tokens, audit });
  };

  it('are shown once, kept as a sum, and do what their role may', async () => {
    const { id, token } = await create('viewer');
    expect(token).toMatch(/^knk_[0-9a-f]{12}_[0-9a-f]{64}$/);
    expect((await ask('GET', '/api/v1/leases', token)).status).toBe(200);
    expect((await ask('POST', '/api/v1/leases/acquire', token, { key: 'k', ttlMs: 1_000 })).status).toBe(403);
    expect((await ask('GET', '/api/v1/tokens', token)).status).toBe(403);
    const { json } = await ask('GET', '/api/v1/tokens', root);
    expect(json.tokens[0]).toMatchObject({ id, name: 'ci', role: 'viewer', createdBy: 'root', revokedAtMs: null });
    expect(json.tokens[0].lastUsedAtMs).toBeGreaterThan(0);
    const dump = await everything();
    expect(dump).not.toContain(token.split('_')[2]);
    expect(dump).toContain(`token/${id}`);
  });

  it('are refused by every server once they are revoked, and in each character but the right one', async () => {
    const { id, token } = await create('operator');
    for (const server of servers)
      expect((await ask('GET', '/api/v1/leases', token, undefined, server)).status).toBe(200);
    const changed = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
    expect((await ask('GET', '/api/v1/leases', changed)).status).toBe(401);
    const revoked = await ask('POST', `/api/v1/tokens/${id}/revoke`, root, { why: 'left' }, servers[1]);
    expect(revoked.json.revokedAtMs).toBeGreaterThan(0);
    for (const server of servers)
      expect((await ask('GET', '/api/v1/leases', token, undefined, server)).status).toBe(401);
    const again = await ask('POST', `/api/v1/tokens/${id}/revoke`, root, {});
    expect(again.json.revokedAtMs).toBe(revoked.json.revokedAtMs);
    const { rows } = await database.query({
      text: "select actor, action, why from kannuki.audit where target = $1 and action = 'revoke'",
      values: [`token/${id}`],
    });
    expect(rows).toEqual([{ actor: 'root', action: 'revoke', why: 'left' }]);
    expect((await ask('POST', '/api/v1/tokens/000000000000/revoke', root, {})).status).toBe(404);
    expect((await ask('POST', "/api/v1/tokens/'--/revoke", root, {})).status).toBe(404);
  });

  it('end by themselves', async () => {
    const { id, token } = await create('viewer', 60_000);
    expect((await ask('GET', '/api/v1/leases', token)).status).toBe(200);
    await database.query({
      text: "update kannuki.api_tokens set expires_at = now() - interval '1 second' where id = $1",
      values: [id],
    });
    expect((await ask('GET', '/api/v1/leases', token)).status).toBe(401);
  });

  it('are not made when the audit cannot be written', async () => {
    const before = await everything();
    await database.query({ text: 'alter table kannuki.audit add constraint closed check (false) not valid' });
    try {
      const reply = await ask('POST', '/api/v1/tokens', root, { name: 'ci', role: 'viewer' });
      expect(reply.status).toBe(500);
    } finally {
      await database.query({ text: 'alter table kannuki.audit drop constraint closed' });
    }
    expect(await everything()).toBe(before);
  });

  it('lists page after page', async () => {
    for (let i = 0; i < 3; i++) await create('viewer');
    const seen: string[] = [];
    for (let place = ''; ; ) {
      const { json } = await ask('GET', `/api/v1/tokens?limit=2${place}`, root);
      seen.push(...json.tokens.map(({ id }: { id: string }) => id));
      if (json.cursor === undefined) break;
      place = `&cursor=${json.cursor}`;
    }
    const { json } = await ask('GET', '/api/v1/tokens?limit=1000', root);
    expect(seen).toEqual(json.tokens.map(({ id }: { id: string }) => id));
    expect((await ask('GET', '/api/v1/tokens?limit=-1', root)).status).toBe(400);
  });

  it('does not ask the database about what is no token', async () => {
    let asked = 0;
    const counting = createApiTokens({
      database: {
        ...database,
        query: (statement) => {
          asked += 1;
          return database.query(statement);
        },
      },
      random: platform.random,
    });
    for (const text of ['', 'knk_', `knk_${'a'.repeat(12)}_${'b'.repeat(63)}`, `${'a'.repeat(64)}`])
      expect(await counting.find(text)).toBeUndefined();
    expect(asked).toBe(0);
    expect(await counting.find(`knk_${'a'.repeat(12)}_${'b'.repeat(64)}`)).toBeUndefined();
    expect(asked).toBe(1);
  });
});
