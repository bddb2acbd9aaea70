/**
 * Who runs them, and what people decided.
 *
 *   workers   one row per process start; an id is never used again. Heartbeats touch no indexed column: they stay HOT
 *     hungry  "wake me": an enqueue notifies only when some row says so, because a notifying commit waits for others
 *     load    runs under way, as of the last heartbeat
 *     leads   leads too; with others about it leaves the runs to them
 *   settings  validated, effective without a restart
 *   audit     every act of an operator, in the statement that acts
 */
import { auditTable } from '../../../sql/audit-table.ts';

export function workerTables(schema: string): readonly string[] {
  return [
    `
create table ${schema}.workers (
  id             bigint generated always as identity primary key,
  name           text        not null,
  state          text        not null default 'ACTIVE' check (state in ('ACTIVE', 'DRAINING', 'DETACHED', 'STOPPED')),
  hungry         boolean     not null default false,
  leads          boolean     not null default false,
  capacity       integer     not null default 1,
  load           integer     not null default 0,
  queue_ids      smallint[]  not null default '{}',
  definition_ids integer[]   not null default '{}',
  seen_at        timestamptz not null default now(),
  registered_at  timestamptz not null default now()
) with (fillfactor = 50)`,
    `
create table ${schema}.settings (
  key text primary key, value json not null, updated_at timestamptz not null default now(), updated_by text not null
)`,
    auditTable(schema),
    // A claim reads the fence: it must be there before the first leader is.
    `insert into ${schema}.fences (resource, token) values ('jobs', 0) on conflict (resource) do nothing`,
  ];
}
