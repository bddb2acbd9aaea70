import { runConformance } from './run-conformance.ts';
import { startPostgresStore } from './start-postgres-store.ts';

runConformance('PostgreSQL 18 store', () => startPostgresStore(18));
