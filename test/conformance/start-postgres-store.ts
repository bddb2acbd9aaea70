import { migrate } from '../../src/engine/migrate.ts';
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { startPostgres } from '../servers/postgres-server.ts';
import type { Skipped, StoreUnderTest } from './run-conformance.ts';

/** A PostgreSQL server of its own, with the lease tables, for one test file. */
export async function startPostgresStore(major: 15 | 18): Promise<StoreUnderTest | Skipped> {
  const server = await startPostgres({ major }).catch((error: unknown) => whyNoServer(major, error));
  if ('reason' in server) return server;
  const open = (): ReturnType<typeof postgresStore> => postgresStore({ connectionString: server.url, max: 2 });
  const admin = open();
  const { schema } = admin;
  if (!schema) throw new Error('The PostgreSQL store names no database to migrate.');
  await migrate(schema.database, schema.migrations);
  return {
    component: `PostgreSQL ${server.version}`,
    openStore: async () => open(),
    restart: () => server.restart(),
    async forget(key) {
      await schema.database.query({
        text: `delete from "${schema.database.schema}".leases where key = $1`,
        values: [key],
      });
    },
    async close() {
      await admin.close();
      await server.stop();
    },
  };
}

/** A server that cannot run here is a skip; one that fails to start is a failure. */
function whyNoServer(major: number, error: unknown): Skipped {
  const reason = error instanceof Error ? error.message : String(error);
  const component = `PostgreSQL ${major}`;
  if (reason.includes('is not installed')) return { component, reason, avoidable: true };
  if (reason.includes('cannot run here')) return { component, reason, avoidable: false };
  throw error;
}
