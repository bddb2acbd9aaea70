/** Row leases behind transaction pooling: every statement may run on another connection of the server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLeases } from '../../src/engine/lease-keeper.ts';
import { migrate } from '../../src/engine/migrate.ts';
import { leaseMigrations } from '../../src/sql/lease-migrations.ts';
import { postgresDatabase, postgresStore } from '../../src/stores/postgres/index.ts';
import { type PoolerServer, poolerVersion, startPooler } from '../servers/pooler-server.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres-server.ts';
import { reportComponent } from '../servers/report-component.ts';
import { faultRounds, reportFault } from './fault-rounds.ts';

const version = poolerVersion();
const rounds = faultRounds('POOLER', 20);
reportComponent(
  version === undefined
    ? {
        component: 'PgBouncer',
        status: 'skipped',
        reason: 'pgbouncer is not installed (Debian package pgbouncer)',
        avoidable: process.getuid?.() === 0,
      }
    : { component: `PgBouncer ${version}`, status: 'took part' },
);

describe.skipIf(version === undefined)('behind PgBouncer in transaction mode', () => {
  let server: PostgresServer;
  let pooler: PoolerServer;
  beforeAll(async () => {
    server = await startPostgres({ major: 18 });
    const database = postgresDatabase({ connectionString: server.url });
    await migrate(database, [leaseMigrations]);
    await database.close();
    pooler = await startPooler(server.url, 3);
  });
  afterAll(async () => {
    await pooler.stop();
    await server.stop();
  });

  it.each([
    { how: 'notices on a direct connection', listen: true },
    { how: 'no notices, waiters poll', listen: false },
  ])('$how: sections of eight clients never overlap, tokens increase, nothing leaks', async ({ listen }) => {
    const key = `pooled-${listen}`;
    const sections: { token: number; entered: number; left: number }[] = [];
    const clients = Array.from({ length: 8 }, () => {
      const store = postgresStore({
        connectionString: pooler.url,
        prepare: false,
        max: 2,
        listen: listen ? { connectionString: server.url } : false,
      });
      return { store, leases: createLeases({ store, migrate: false, ttlMs: 5_000 }) };
    });
    await Promise.all(
      clients.map(async ({ leases }) => {
        for (let i = 0; i < rounds; i++) {
          await leases.withLease(key, {}, async (lease) => {
            const entered = performance.now();
            await new Promise((resolve) => setImmediate(resolve));
            sections.push({ token: lease.token, entered, left: performance.now() });
          });
        }
      }),
    );
    for (const { leases, store } of clients) {
      await leases.close();
      await store.close();
    }
    const overlaps = sections.filter((section, i) => section.entered < (sections[i - 1]?.left ?? 0));
    expect(sections).toHaveLength(8 * rounds);
    expect(overlaps).toEqual([]);
    expect(sections.every((section, i) => section.token > (sections[i - 1]?.token ?? 0))).toBe(true);

    // The asynchronous commit of a free release must not stick to a connection that serves others.
    const database = postgresDatabase({ connectionString: pooler.url, prepare: false, listen: false });
    for (let i = 0; i < 6; i++) {
      const { rows } = await database.query({ text: 'show synchronous_commit' });
      expect(rows).toEqual([{ synchronous_commit: 'on' }]);
    }
    await database.close();
    reportFault({ experiment: 'pooler', version, listen, sections: sections.length, overlaps: overlaps.length });
  });
});
