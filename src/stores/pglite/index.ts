export { type FenceOptions, fencedStatement, type HeldLease } from '../../sql/fenced-statement.ts';
export { type PgliteDatabaseOptions, pgliteDatabase } from './pglite-database.ts';
export { type PgliteStoreOptions, pgliteStore } from './pglite-store.ts';
