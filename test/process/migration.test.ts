/** Migrations on a real server: five starters at once, and a crash at every statement. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MigrationSet, SqlDatabase, SqlExecutor } from '../../src/core/ports.ts';
import { migrate } from '../../src/engine/migrate.ts';
import { runOnceMigrations } from '../../src/engine/run-once/run-once-migrations.ts';
import { leaseMigrations } from '../../src/sql/lease-migrations.ts';
import { postgresDatabase } from '../../src/stores/postgres/index.ts';
import { type PostgresServer, startPostgres } from '../servers/postgres-server.ts';

const sets: readonly MigrationSet[] = [leaseMigrations, runOnceMigrations];

describe.each([18, 15] as const)('migrations on PostgreSQL %d', (major) => {
  let server: PostgresServer;
  let number = 0;
  beforeAll(async () => {
    server = await startPostgres({ major });
  });
  afterAll(() => server.stop());

  const open = (schema: string): SqlDatabase => postgresDatabase({ connectionString: server.url, schema });

  /** Everything that the migrations make, by name and shape. */
  async function describeSchema(schema: string): Promise<readonly unknown[]> {
    const database = open(schema);
    const { rows } = await database.query({
      text: `select 'column' as kind, table_name as of, column_name as name, data_type as shape
             from information_schema.columns where table_schema = $1
             union all select 'function', routine_name, '', data_type from information_schema.routines where routine_schema = $1
             union all select 'index', tablename, indexname, replace(indexdef, $1, '') from pg_indexes where schemaname = $1
             order by 1, 2, 3`,
      values: [schema],
    });
    await database.close();
    return rows;
  }

  it('five starters at once: applied once, all of them ready', async () => {
    const schema = `starters_${++number}`;
    const databases = Array.from({ length: 5 }, () => open(schema));
    const reports = await Promise.all(databases.map((database) => migrate(database, sets)));
    const total = sets.flatMap((set) => set.migrations).length;
    expect(reports.flatMap(({ applied }) => applied)).toHaveLength(total);
    await Promise.all(databases.map((database) => database.close()));
  });

  it('a crash at every statement leaves nothing half-done; the next start completes it', {
    timeout: 120_000,
  }, async () => {
    const reference = `whole_${++number}`;
    const whole = open(reference);
    await migrate(whole, sets);
    await whole.close();
    const wanted = await describeSchema(reference);
    expect(wanted.length).toBeGreaterThan(20);

    let crashes = 0;
    for (let at = 1; ; at++) {
      const schema = `crash_${++number}`;
      const database = open(schema);
      const crashed = await migrate(crashingAt(database, at), sets).then(
        () => false,
        () => true,
      );
      if (!crashed) {
        await database.close();
        break;
      }
      crashes += 1;
      await migrate(database, sets);
      expect(await describeSchema(schema), `after a crash at statement ${at}`).toEqual(wanted);
      await database.close();
    }
    expect(crashes, 'every statement was a crash once').toBeGreaterThan(10);
  });
});

/** The server ends the connection at the n-th statement inside transactions. */
function crashingAt(database: SqlDatabase, n: number): SqlDatabase {
  let sent = 0;
  return {
    ...database,
    transaction: (work) =>
      database.transaction((tx) => {
        const crashing: SqlExecutor = {
          query: (statement) => {
            sent += 1;
            return sent === n
              ? tx.query({ text: 'select pg_terminate_backend(pg_backend_pid())' })
              : tx.query(statement);
          },
        };
        return work(crashing);
      }),
  };
}
