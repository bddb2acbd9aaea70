/**
 * The table of run-once, forward only.
 *
 *   scope, key   what must happen once; a scope keeps the keys of two endpoints or tenants apart
 *   fingerprint  SHA-256 of the canonical JSON of the input
 *   state        running (a claim stands on it, or has ended), done or failed (the answer is stored)
 *   token        of the last claim, strictly increasing; only it may complete
 *   owner        the call that made the last claim; '' = it gave up
 *   attempt      how many claims there have been
 *   expires_at   end of the last claim by the database's clock
 *   answer       json and not jsonb: it comes back exactly as it was, with its order of keys, and may hold \\u0000
 *
 * Only columns that never change are indexed, and the pages keep room: claims, renewals and completions are HOT.
 */
import type { MigrationSet } from '../../core/ports.ts';

export const runOnceMigrations: MigrationSet = {
  system: 'run-once',
  afterRestore: (schema) => [
    `update ${schema}.run_once set token = greatest(token + 1, $1::bigint) where state = 'running'`,
  ],
  migrations: [
    {
      number: 1,
      name: 'answers by key',
      statements: (schema) => [
        `
create table ${schema}.run_once (
  scope       text collate "C" not null,
  key         text collate "C" not null,
  fingerprint text             not null,
  state       text             not null check (state in ('running', 'done', 'failed')),
  token       bigint           not null,
  owner       text             not null,
  attempt     integer          not null,
  expires_at  timestamptz      not null,
  answer      json,
  created_at  timestamptz      not null,
  finished_at timestamptz,
  primary key (scope, key),
  check ((state = 'running') = (finished_at is null))
) with (fillfactor = 70)`,
        `create index run_once_created_at on ${schema}.run_once (created_at)`,
      ],
    },
  ],
};
