import type { SqlExecutor } from '../core/ports.ts';
import { BackupError } from './backup-error.ts';
import type { SequenceState, TableLine } from './backup-header.ts';
import { readEntries } from './check-backup.ts';
import { quoteName, readTables, type TableShape } from './read-tables.ts';
import type { BackupProgress } from './write-backup.ts';

export interface LoadRowsOptions {
  readonly file: string;
  readonly onProgress: ((progress: BackupProgress) => void) | undefined;
}

/** One statement inserts about so many characters. */
const partSize = 1_000_000;

/** Fills tables that were just made; what their migrations put there is replaced. The sequences as of the file. */
export async function loadRows(
  tx: SqlExecutor,
  schema: string,
  { file, onProgress }: LoadRowsOptions,
): Promise<readonly SequenceState[]> {
  const tables = await readTables(tx, schema);
  const names = tables.map(({ name }) => `"${schema}".${quoteName(name)}`);
  if (names.length > 0) await tx.query({ text: `truncate ${names.join(', ')}` });
  for (const name of names) await tx.query({ text: `alter table ${name} disable trigger user` });
  const references = await dropReferences(tx, schema);
  let sequences: readonly SequenceState[] = [];
  let insert: Inserter | undefined;
  let rows = 0;
  for await (const entry of readEntries(file)) {
    if (entry.kind === 'row') {
      rows += 1;
      if (await insert?.add(entry.line)) onProgress?.({ table: insert?.table ?? '', rows });
      continue;
    }
    await insert?.flush();
    if (entry.kind === 'table') insert = insertInto(tx, schema, file, entry.table, tables);
    else sequences = entry.sequences;
  }
  for (const { table, name, definition } of references) {
    await tx.query({ text: `alter table ${table} add constraint ${name} ${definition}` });
  }
  for (const name of names) await tx.query({ text: `alter table ${name} enable trigger user` });
  return sequences;
}

interface Reference {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Tables may refer to each other in a circle: no order of them would do. Made again, each is checked for all rows. */
async function dropReferences(tx: SqlExecutor, schema: string): Promise<readonly Reference[]> {
  const { rows } = await tx.query<Reference>({
    text: `
select f.conrelid::regclass::text as "table", quote_ident(f.conname) as name, pg_get_constraintdef(f.oid) as definition
from pg_constraint f join pg_namespace n on n.oid = f.connamespace
where n.nspname = $1 and f.contype = 'f' order by 1, 2`,
    values: [schema],
  });
  for (const { table, name } of rows) await tx.query({ text: `alter table ${table} drop constraint ${name}` });
  return rows;
}

interface Inserter {
  readonly table: string;
  /** True: a part was sent. */
  add(line: string): Promise<boolean>;
  flush(): Promise<void>;
}

function insertInto(
  tx: SqlExecutor,
  schema: string,
  file: string,
  { table, columns }: TableLine,
  tables: readonly TableShape[],
): Inserter {
  const shape = tables.find(({ name }) => name === table);
  const types = columns.map((column) => shape?.columns.find(({ name }) => name === column)?.type);
  if (types.includes(undefined) || shape?.columns.length !== columns.length) {
    throw new BackupError(
      `${file} has a table "${table}" that its own migrations do not make; it was changed by hand.`,
      {
        code: 'damaged',
      },
    );
  }
  const values = types.map((type, at) => `(line ->> ${at})::${type}`).join(', ');
  const text = `
insert into "${schema}".${quoteName(table)} (${columns.map(quoteName).join(', ')}) overriding system value
select ${values} from json_array_elements($1::json) line`;
  let lines: string[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    if (lines.length === 0) return;
    const part = `[${lines.join(',')}]`;
    lines = [];
    size = 0;
    await tx.query({ text, values: [part] });
  };
  return {
    table,
    flush,
    async add(line) {
      lines.push(line);
      size += line.length;
      if (size < partSize) return false;
      await flush();
      return true;
    },
  };
}
