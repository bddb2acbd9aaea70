/**
 * The table of analyses, forward only. One row per analysis: its state, its result, and its lock in the same row, so
 * that a result and the end of its lock are one write.
 */
import type { MigrationSet } from '../../core/ports.ts';

export const analysisMigrations: MigrationSet = {
  system: 'analysis',
  afterRestore: (schema) => [`update ${schema}.analyses set lock_token = greatest(lock_token + 1, $1::bigint)`],
  migrations: [
    {
      number: 1,
      name: 'analyses',
      statements: (schema) => [
        `
create table ${schema}.analyses (
  analysis_id       text collate "C" primary key,
  status            text             not null default 'PENDING',
  input             jsonb,
  result            jsonb,
  error             text,
  result_token      bigint,
  lock_owner        text,
  lock_expires_at   timestamptz,
  lock_heartbeat_at timestamptz,
  lock_token        bigint           not null default 0,
  created_at        timestamptz      not null default statement_timestamp(),
  finished_at       timestamptz
) with (fillfactor = 70)`,
      ],
    },
  ],
};
