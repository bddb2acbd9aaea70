/** The tables of jobs, forward only, on top of those of leases (the fence is there). A text once released stays. */
import type { MigrationSet } from '../../../core/ports.ts';
import { definitionTables } from './definition-tables.ts';
import { logTables } from './log-tables.ts';
import { readingIndexes } from './reading-indexes.ts';
import { runTables } from './run-tables.ts';
import { workerTables } from './worker-tables.ts';

export const jobMigrations: MigrationSet = {
  system: 'jobs',
  // Numbers of starts become times: above every count that was given out.
  afterRestore: (schema) => [
    `select setval('${schema}.start_tokens', greatest($1::bigint, (select last_value from ${schema}.start_tokens)))`,
  ],
  migrations: [
    {
      number: 1,
      name: 'definitions, runs, history, workers',
      statements: (schema) => [...definitionTables(schema), ...runTables(schema), ...workerTables(schema)],
    },
    { number: 2, name: 'logs of runs', statements: logTables },
    { number: 3, name: 'indexes for readers', statements: readingIndexes },
  ],
};
