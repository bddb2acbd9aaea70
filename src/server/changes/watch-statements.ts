/**
 * Which tables tell of changes, and what of them. What only time changes (a lease that ends, a heartbeat) and rows that
 * are tidied away are not told.
 *
 * Statements that take many rows at once have one trigger per statement, which sees all of them; where a heartbeat
 * must not count, there is one per row with a condition that PostgreSQL checks without calling anything.
 */
import { type ChangeTopic, namedIdsMax } from './change-topics.ts';

interface WatchedTable {
  readonly table: string;
  readonly topic: ChangeTopic;
  /** SQL for the id of the row `n`; null: the topic as a whole. */
  readonly id: (schema: string) => string;
  readonly on: readonly ('insert' | 'update')[];
  /** Told per row, and only of updates that change one of these columns. */
  readonly columns?: readonly string[];
}

const id = (): string => 'n.id';

/** By the system whose tables they are. */
const watchedTables: Readonly<Record<string, readonly WatchedTable[]>> = {
  leases: [
    {
      table: 'leases',
      topic: 'leases',
      id: () => 'n.key',
      on: ['insert', 'update'],
      columns: ['token', 'owner', 'queue', 'holders'],
    },
  ],
  jobs: [
    { table: 'job_runs', topic: 'runs', id, on: ['insert', 'update'] },
    { table: 'job_run_history', topic: 'runs', id, on: ['insert'] },
    { table: 'job_definitions', topic: 'jobs', id: () => 'n.name', on: ['insert', 'update'] },
    {
      table: 'workers',
      topic: 'workers',
      id,
      on: ['insert', 'update'],
      columns: ['state', 'leads', 'capacity', 'load', 'queue_ids'],
    },
    { table: 'settings', topic: 'settings', id: () => 'n.key', on: ['insert', 'update'] },
    { table: 'audit', topic: 'audit', id, on: ['insert'] },
  ],
  telemetry: [
    { table: 'rollouts', topic: 'flags', id: () => 'n.name', on: ['insert', 'update'] },
    { table: 'incidents', topic: 'flags', id: () => 'n.rollout', on: ['insert'] },
  ],
  reservations: [
    { table: 'reservations', topic: 'reservations', id, on: ['insert', 'update'] },
    { table: 'payments', topic: 'reservations', id: () => 'n.reservation_id', on: ['insert', 'update'] },
    {
      table: 'refunds',
      topic: 'reservations',
      id: (schema) => `(select p.reservation_id from ${schema}.payments p where p.id = n.payment_id)`,
      on: ['insert', 'update'],
    },
    { table: 'reservation_journal', topic: 'reservations', id: () => 'n.reservation_id', on: ['insert'] },
    { table: 'race_log', topic: 'races', id, on: ['insert', 'update'] },
    { table: 'alerts', topic: 'alerts', id, on: ['insert', 'update'] },
    { table: 'notifications', topic: 'mails', id, on: ['insert', 'update'] },
  ],
};

export const watchedSystems: readonly string[] = Object.keys(watchedTables);

/** Functions and triggers for the tables of one system. */
export function watchStatements(schema: string, system: string): readonly string[] {
  return (watchedTables[system] ?? []).flatMap((watched) =>
    watched.columns ? perRow(schema, watched, watched.columns) : perStatement(schema, watched),
  );
}

/** Asked by every trigger, with a snapshot of its own: a watch that began a moment ago counts. */
function ifWatched(schema: string): string {
  return `exists (select from ${schema}.change_watch where records_until > clock_timestamp())`;
}

function perStatement(schema: string, { table, topic, id, on }: WatchedTable): readonly string[] {
  const ids = `array_agg(distinct (${id(schema)})::text)`;
  return [
    `
create function ${schema}.note_${table}() returns trigger language plpgsql as $$
begin
  if ${ifWatched(schema)} then
    insert into ${schema}.changes (topic, ids)
    select '${topic}', case when count(*) <= ${namedIdsMax} and count(${id(schema)}) = count(*) then ${ids} end
    from news n having count(*) > 0;
  end if;
  return null;
end $$`,
    ...on.map(
      (event) => `
create trigger note_${table}_${event} after ${event} on ${schema}.${table}
referencing new table as news for each statement execute function ${schema}.note_${table}()`,
    ),
  ];
}

function perRow(schema: string, { table, topic, id, on }: WatchedTable, columns: readonly string[]): readonly string[] {
  const changed = columns.map((column) => `old.${column} is distinct from new.${column}`).join(' or ');
  return [
    `
create function ${schema}.note_${table}() returns trigger language plpgsql as $$
declare n alias for new;
begin
  if ${ifWatched(schema)} then
    insert into ${schema}.changes (topic, ids) values ('${topic}', array[(${id(schema)})::text]);
  end if;
  return null;
end $$`,
    ...on.map(
      (event) => `
create trigger note_${table}_${event} after ${event} on ${schema}.${table}
for each row ${event === 'update' ? `when (${changed}) ` : ''}execute function ${schema}.note_${table}()`,
    ),
  ];
}
