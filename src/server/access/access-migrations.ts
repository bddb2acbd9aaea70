/**
 * Who may call, forward only.
 *
 *   api_tokens  a token is kept as its SHA-256; `id` is its public part, which lists and logs may show
 *   audit       see src/sql/audit-table.ts
 */
import type { MigrationSet } from '../../core/ports.ts';
import { auditTable } from '../../sql/audit-table.ts';

export const accessMigrations: MigrationSet = {
  system: 'access',
  migrations: [
    {
      number: 1,
      name: 'api tokens',
      statements: (schema) => [
        auditTable(schema),
        `
create table ${schema}.api_tokens (
  id           text collate "C" primary key,
  sha256       text collate "C" not null,
  name         text             not null,
  role         text             not null check (role in ('viewer', 'operator', 'admin')),
  created_at   timestamptz      not null,
  created_by   text             not null,
  expires_at   timestamptz,
  last_used_at timestamptz,
  revoked_at   timestamptz
)`,
      ],
    },
  ],
};
