/** The databases that reservations are tested on: PostgreSQL 18 and 15, real servers, and PGlite. */
import type { SqlDatabase } from '../../src/core/ports.ts';
import { pgliteDatabase } from '../../src/stores/pglite/pglite-database.ts';
import { postgresDatabase } from '../../src/stores/postgres/postgres-database.ts';
import { startPostgres } from '../servers/postgres-server.ts';
import { reportComponent } from '../servers/report-component.ts';

export interface OpenedEngine {
  readonly component: string;
  /** A database with a schema of its own; closed with the engine. */
  database(schema: string, options?: { readonly max?: number }): SqlDatabase;
  close(): Promise<void>;
}

export interface BookingEngine {
  readonly name: string;
  /** Undefined: it cannot be had here; the skip is reported. */
  open(): Promise<OpenedEngine | undefined>;
}

export const postgres18: BookingEngine = { name: 'PostgreSQL 18', open: () => openPostgres(18) };
export const postgres15: BookingEngine = { name: 'PostgreSQL 15', open: () => openPostgres(15) };
export const pglite: BookingEngine = { name: 'PGlite', open: openPglite };

/** In these tests our process dies and the server does not: nothing has to wait for the disk. */
const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '60', synchronous_commit: 'off' };

async function openPostgres(major: 15 | 18): Promise<OpenedEngine | undefined> {
  const component = `PostgreSQL ${major} (reservations)`;
  const server = await startPostgres({ major, settings }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    const missing = reason.includes('is not installed');
    if (!missing && !reason.includes('cannot run here')) throw error;
    reportComponent({ component, status: 'skipped', reason, avoidable: missing });
    return undefined;
  });
  if (!server) return undefined;
  reportComponent({ component, status: 'took part' });
  const opened: SqlDatabase[] = [];
  return {
    component: `PostgreSQL ${server.version}`,
    database(schema, { max = 10 } = {}) {
      // Five hundred buyers may have to stand in line for ten connections on a busy machine.
      const database = postgresDatabase({ connectionString: server.url, schema, max, connectTimeoutMs: 60_000 });
      opened.push(database);
      return database;
    },
    async close() {
      await Promise.all(opened.map((database) => database.close()));
      await server.stop();
    },
  };
}

async function openPglite(): Promise<OpenedEngine> {
  reportComponent({ component: 'PGlite (reservations)', status: 'took part' });
  const opened = pgliteDatabase({ dir: 'memory' });
  return {
    component: 'PGlite',
    // One engine for all schemas: it takes seconds to open another.
    database: (schema) => ({ ...opened, schema, close: async () => undefined }),
    close: () => opened.close(),
  };
}
