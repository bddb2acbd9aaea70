import { runConformance } from './run-conformance.ts';
import { startPostgresStore } from './start-postgres-store.ts';

runConformance('PostgreSQL 15 store', () => startPostgresStore(15));
