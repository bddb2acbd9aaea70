export { type FenceOptions, fencedStatement, type HeldLease } from '../../sql/fenced-statement.ts';
export type { LeaseDurability } from '../../sql/lease-durability.ts';
export { type PostgresDatabase, type PostgresDatabaseOptions, postgresDatabase } from './postgres-database.ts';
export { type PostgresStoreOptions, type PostgresStoreSettings, postgresStore } from './postgres-store.ts';
