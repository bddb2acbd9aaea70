import type { LeaseStore, Random, SqlDatabase, SqlExecutor } from '../../core/ports.ts';
import type { LeaseDurability } from '../../sql/lease-durability.ts';
import { sqlLeaseStore } from '../../sql/sql-lease-store.ts';
import { type PostgresDatabaseOptions, postgresDatabase } from './postgres-database.ts';

export interface PostgresStoreSettings {
  /**
   * When a commit waits for the disk. `standard`: always, but for a release that frees. `strict`: always.
   * `relaxed`: never; only for those whose every write is fenced. @default 'standard'
   */
  readonly durability?: LeaseDurability;
  /** Decides which acquire also sweeps idle rows. @default the platform's */
  readonly random?: Pick<Random, 'fraction'>;
}

/** A database to open, or one already open, which then stays open when the store is closed. */
export type PostgresStoreOptions = PostgresStoreSettings &
  (PostgresDatabaseOptions | { readonly database: SqlDatabase & { readonly renewals?: SqlExecutor } });

/** Leases as rows of a PostgreSQL server, 15 or newer. */
export function postgresStore(options: PostgresStoreOptions): LeaseStore {
  const given = 'database' in options;
  const database: SqlDatabase & { readonly renewals?: SqlExecutor } = given
    ? options.database
    : postgresDatabase(options);
  return sqlLeaseStore({
    database,
    name: 'postgres',
    capabilities: {
      line: database.capabilities.listen || {
        no: 'Without a direct connection for LISTEN nobody can be told; waiters poll.',
      },
      shared: true,
      counted: true,
      several: true,
      fences: true,
      durable: true,
      network: true,
    },
    ownsDatabase: !given,
    ...(options.durability && { durability: options.durability }),
    ...(options.random && { random: options.random }),
    ...(database.renewals && { renewals: database.renewals }),
  });
}
