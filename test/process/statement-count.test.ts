/** How many statements leases cost, counted in the server's own log: one to acquire, one to release. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLeases } from '../../src/engine/lease-keeper.ts';
import { migrate } from '../../src/engine/migrate.ts';
import { leaseMigrations } from '../../src/sql/lease-migrations.ts';
import { postgresDatabase, postgresStore } from '../../src/stores/postgres/index.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres-server.ts';

describe('statements, counted by the server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ major: 18, settings: { log_statement: 'all' } });
    const database = postgresDatabase({ connectionString: server.url });
    await migrate(database, [leaseMigrations]);
    await database.close();
  });
  afterAll(() => server.stop());

  /** What the server executed between two marks of ours. */
  async function count(work: () => Promise<void>): Promise<readonly string[]> {
    const mark = `mark ${performance.now()}`;
    const database = postgresDatabase({ connectionString: server.url });
    const say = (): Promise<unknown> => database.query({ text: `select '${mark}'` });
    await say();
    await work();
    await say();
    await database.close();
    const log = await readFile(join(dirname(server.dataDir), 'postgres.log'), 'utf8');
    const [, between = ''] = log.split(mark);
    return [...between.matchAll(/LOG: {2}(?:statement|execute (?:\S+)): ([\s\S]*?)(?=\n\d{4}-\d\d-\d\d |\n?$)/g)]
      .map(([, text = '']) => text.trim())
      .filter((text) => !text.startsWith("select 'mark") && text !== "select '");
  }

  const kindOf = (text: string): string => /^(insert|update|with|listen|unlisten|select)/i.exec(text)?.[0] ?? text;

  it('a free lease: one INSERT … ON CONFLICT to acquire, one UPDATE to release, nothing else', async () => {
    const statements = await count(async () => {
      const store = postgresStore({ connectionString: server.url });
      const leases = createLeases({ store, migrate: false });
      for (let i = 0; i < 10; i++) await leases.withLease(`free-${i % 3}`, {}, () => undefined);
      await leases.close();
      await store.close();
    });
    expect(statements.map(kindOf)).toEqual(Array.from({ length: 10 }, () => ['insert', 'update']).flat());
  });

  it('a hand-over between processes: a release that grants, and one trip to stand in line again', async () => {
    const rounds = 20;
    const keepersCount = 2;
    const statements = await count(async () => {
      const stores = Array.from({ length: keepersCount }, () => postgresStore({ connectionString: server.url }));
      const keepers = stores.map((store) => createLeases({ store, migrate: false }));
      await Promise.all(
        keepers.map(async (leases) => {
          for (let i = 0; i < rounds; i++)
            await leases.withLease('handed', {}, () => new Promise((resolve) => setImmediate(resolve)));
        }),
      );
      for (const leases of keepers) await leases.close();
      for (const store of stores) await store.close();
    });
    const kinds = statements.map(kindOf);
    const sections = rounds * keepersCount;
    expect(kinds.filter((kind) => kind === 'update')).toHaveLength(sections);
    // One acquire per section; a few more for the first subscription, none per section.
    expect(kinds.filter((kind) => kind === 'insert').length).toBeGreaterThanOrEqual(sections);
    expect(kinds.filter((kind) => kind === 'insert').length).toBeLessThanOrEqual(sections + 4);
  });
});
