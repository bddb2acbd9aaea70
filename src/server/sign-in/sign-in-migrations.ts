/**
 * Who may sign in, forward only.
 *
 *   server_secrets  what signs cookies; every server on this database uses the same
 *   sign_in_codes   one-time links; a code is kept as its SHA-256 and used at most once
 */
import type { MigrationSet } from '../../core/ports.ts';
import { auditTable } from '../../sql/audit-table.ts';

export const signInMigrations: MigrationSet = {
  system: 'server',
  migrations: [
    {
      number: 1,
      name: 'secrets and sign-in codes',
      statements: (schema) => [
        auditTable(schema),
        `
create table ${schema}.server_secrets (
  name   text collate "C" primary key,
  secret text             not null,
  since  timestamptz      not null
)`,
        `
create table ${schema}.sign_in_codes (
  sha256     text collate "C" primary key,
  name       text             not null,
  role       text             not null check (role in ('viewer', 'operator', 'admin')),
  expires_at timestamptz      not null,
  used_at    timestamptz
)`,
      ],
    },
  ],
};
