/**
 * The tables of leases, forward only. A text that was ever released is never edited: numbers in it (the block of 64,
 * the line of 256) are literal, and a test compares them with `limits`.
 *
 *   leases        one row per key; the row is the only point of serialisation
 *     token       last number given out
 *     owner       grant id of the exclusive holder, '*' = a pool of sharers, null = free
 *     expires_at  end of the grant (of a pool: of its last holder); a free row keeps the time of its release
 *     queue       who waits, oldest first: '<grant id>', or '<grant id>|<weight>|<capacity>' for a share
 *     holders     of a pool: { grant id: [token, weight, capacity, end in µs] }
 *   fences        the highest token that has claimed a resource
 *   lease_breaks  who broke which grant, and why
 *
 * Only `key` is indexed and the pages keep room, so every update of a lease is HOT. Its collation is "C": keys
 * compare byte by byte on every server, and a prefix search uses the primary key.
 */
import type { MigrationSet } from '../core/ports.ts';
import { acquireAllFunction } from './functions/acquire-all.ts';
import { acquireShareFunction } from './functions/acquire-share.ts';
import { breakLeaseFunction } from './functions/break-lease.ts';
import { grantLineFunction } from './functions/grant-line.ts';
import { passOnFunction } from './functions/pass-on.ts';
import { poolFunctions } from './functions/pool.ts';
import { releaseShareFunction } from './functions/release-share.ts';
import { renewSharesFunction } from './functions/renew-shares.ts';
import { raiseTokensStatements } from './statements/raise-tokens.ts';

export const leaseMigrations: MigrationSet = {
  system: 'leases',
  afterRestore: raiseTokensStatements,
  migrations: [
    {
      number: 1,
      name: 'leases, fences and breaks',
      statements: (schema) => [
        `
create table ${schema}.leases (
  key        text collate "C" primary key,
  token      bigint      not null,
  owner      text,
  expires_at timestamptz not null,
  queue      text[]      not null default '{}',
  holders    jsonb
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500)`,
        `
create table ${schema}.fences (
  resource text collate "C" primary key,
  token    bigint not null
) with (fillfactor = 50)`,
        `
create table ${schema}.lease_breaks (
  key    text collate "C" not null,
  owner  text             not null,
  token  bigint           not null,
  "by"   text             not null,
  reason text             not null,
  at     timestamptz      not null,
  primary key (key, owner, token)
)`,
        ...poolFunctions(schema),
        grantLineFunction(schema),
        passOnFunction(schema),
        acquireShareFunction(schema),
        renewSharesFunction(schema),
        releaseShareFunction(schema),
        breakLeaseFunction(schema),
        acquireAllFunction(schema),
      ],
    },
  ],
};
