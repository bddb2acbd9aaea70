/**
 * The tables of the change stream, forward only.
 *
 *   changes        what changed, written by triggers in the transaction that changes it; no ids: many
 *   change_watch   one row while anybody listens, or did a moment ago: without it nothing is written
 *     incarnation    another one after a time in which nothing was written: ids of an older one cannot be resumed
 *     watched_until  listeners push it forward; once it has passed, the incarnation is over
 *     records_until  later than that, so that a push that commits late leaves no hole
 *     settles_at     transactions below it may have begun unwatched; null: not known yet
 *     pruned         what this snapshot sees was removed
 *
 * Unlogged: a crash of the server empties both, which is a new incarnation, and costs no WAL.
 */
import type { MigrationSet } from '../../core/ports.ts';
import { watchedSystems, watchStatements } from './watch-statements.ts';

const ownTables: MigrationSet = {
  system: 'changes',
  migrations: [
    {
      number: 1,
      name: 'changes and who watches',
      statements: (schema) => [
        `
create unlogged table ${schema}.changes (
  xid   xid8   not null default pg_current_xact_id(),
  topic text   not null,
  ids   text[]
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000)`,
        `create index changes_xid on ${schema}.changes (xid)`,
        `
create unlogged table ${schema}.change_watch (
  id            boolean          primary key default true check (id),
  incarnation   text             not null,
  watched_until timestamptz      not null,
  records_until timestamptz      not null,
  settles_at    xid8,
  pruned        pg_snapshot      not null
) with (fillfactor = 50)`,
      ],
    },
  ],
};

/** What the stream needs on a database that has these sets; append it to them. */
export function changeMigrationsFor(sets: readonly MigrationSet[]): readonly MigrationSet[] {
  const present = watchedSystems.filter((system) => sets.some((set) => set.system === system));
  return [
    ownTables,
    ...present.map((system) => ({
      system: `changes-${system}`,
      migrations: [
        { number: 1, name: `changes of ${system}`, statements: (schema: string) => watchStatements(schema, system) },
      ],
    })),
  ];
}
