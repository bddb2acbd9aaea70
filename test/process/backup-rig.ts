/** Databases to back up and restore: new ones on real servers of both majors, and PGlite. */
import { listServerMigrations } from '../../src/cli/list-server-migrations.ts';
import type { MigrationSet, SqlDatabase } from '../../src/core/ports.ts';
import { leaseMigrations } from '../../src/sql/lease-migrations.ts';
import { pgliteDatabase } from '../../src/stores/pglite/index.ts';
import { postgresDatabase } from '../../src/stores/postgres/index.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres-server.ts';
import { reportComponent } from '../servers/report-component.ts';

/** What `serve` has. */
export const everySet: readonly MigrationSet[] = await listServerMigrations([leaseMigrations]);

export interface BackupRig {
  /** A new database without any table. */
  open(kind: 15 | 18 | 'pglite'): Promise<SqlDatabase>;
  /** The same database once more, as another program would open it. */
  reopen(database: SqlDatabase): SqlDatabase;
  close(): Promise<void>;
}

export async function openBackupRig(): Promise<BackupRig> {
  const servers = new Map<15 | 18, PostgresServer>();
  const opened = new Map<SqlDatabase, string>();
  let count = 0;
  const openUrl = (url: string): SqlDatabase => {
    const database = postgresDatabase({ connectionString: url });
    opened.set(database, url);
    return database;
  };
  return {
    async open(kind) {
      if (kind === 'pglite') {
        const database = pgliteDatabase({ dir: 'memory' });
        opened.set(database, '');
        return database;
      }
      let server = servers.get(kind);
      if (!server) {
        server = await startPostgres({ major: kind, settings: { synchronous_commit: 'off' } });
        servers.set(kind, server);
        reportComponent({ component: `PostgreSQL ${server.version}`, status: 'took part' });
      }
      const name = `backup${++count}`;
      const admin = postgresDatabase({ connectionString: server.url });
      await admin.query({ text: `create database ${name}` });
      await admin.close();
      return openUrl(server.url.replace(/\/postgres$/, `/${name}`));
    },
    reopen: (database) => openUrl(opened.get(database) ?? ''),
    async close() {
      for (const database of opened.keys()) await database.close();
      for (const server of servers.values()) await server.stop();
    },
  };
}

/** Every table with its rows as text, in an order of their own; independent of the code under test. */
export async function dumpTables(database: SqlDatabase): Promise<Readonly<Record<string, readonly string[]>>> {
  const { rows: tables } = await database.query<{ name: string }>({
    text: `select tablename as name from pg_tables where schemaname = 'kannuki' and tablename <> 'migrations' order by 1`,
  });
  const dump: Record<string, readonly string[]> = {};
  for (const { name } of tables) {
    const { rows } = await database.query<{ row: string }>({
      text: `select t::text as row from kannuki."${name}" t order by 1`,
    });
    dump[name] = rows.map(({ row }) => row);
  }
  return dump;
}
