/** What a schema holds, as the database itself tells it: nobody has to remember to name a new table. */
import type { SqlExecutor } from '../core/ports.ts';
import type { SequenceState } from './backup-header.ts';

export interface TableShape {
  readonly name: string;
  readonly columns: readonly ColumnShape[];
}

export interface ColumnShape {
  readonly name: string;
  /** As PostgreSQL writes it, such as `timestamp with time zone`. */
  readonly type: string;
}

/** The record of migrations travels in the header. */
const recordTable = 'migrations';

export async function readTables(on: SqlExecutor, schema: string): Promise<readonly TableShape[]> {
  const { rows } = await on.query<TableShape>({ text: tablesStatement, values: [schema, recordTable] });
  return rows;
}

/**
 * Generated columns are left to the database, unlogged tables behind: they promise nothing over a crash either.
 *
 * $1 schema, $2 the record of migrations
 */
const tablesStatement = `
select c.relname::text as name,
       (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1 and c.relkind = 'r' and c.relpersistence = 'p' and c.relname <> $2
order by c.relname`;

/** Sequences stand outside of transactions: read after the snapshot was taken, they are never too low for it. */
export async function readSequences(on: SqlExecutor, schema: string): Promise<readonly SequenceState[]> {
  const { rows } = await on.query<SequenceState>({
    text: `select sequencename::text as name, last_value::text as last from pg_sequences where schemaname = $1 order by 1`,
    values: [schema],
  });
  return rows;
}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
