import type { LeaseStore, SqlDatabase } from '../../core/ports.ts';
import { sqlLeaseStore } from '../../sql/sql-lease-store.ts';
import { type PgliteDatabaseOptions, pgliteDatabase } from './pglite-database.ts';

/** A database to open, or one already open, which then stays open when the store is closed. */
export type PgliteStoreOptions = PgliteDatabaseOptions | { readonly database: SqlDatabase };

/** Leases in PGlite: for one process, its tests, and where no server can be started. */
export function pgliteStore(options: PgliteStoreOptions): LeaseStore {
  const given = 'database' in options;
  const database = given ? options.database : pgliteDatabase(options);
  const memory = !given && options.dir === 'memory';
  return sqlLeaseStore({
    database,
    name: 'pglite',
    capabilities: {
      line: true,
      shared: true,
      counted: true,
      several: true,
      fences: true,
      durable: memory ? { no: 'PGlite in memory ends with its process.' } : true,
      network: { no: 'PGlite belongs to one process.' },
    },
    ownsDatabase: !given,
  });
}
