/**
 * Writes one consistent snapshot of a database to a file while it is in use.
 *
 *   one transaction, repeatable read and read only: every table is seen as of one moment; nobody waits for us
 *   rows come through a cursor, a few megabytes at a time, whatever the size of the table
 *   the file appears under its name when it is complete and on disk; before that it has another name
 */
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { platform } from '#platform';
import type { SqlDatabase, SqlExecutor } from '../core/ports.ts';
import type { RecordedMigration } from '../engine/migrate.ts';
import { BackupError } from './backup-error.ts';
import { type BackupHeader, backupFormat, type EndLine, sumLines } from './backup-header.ts';
import { quoteName, readSequences, readTables, type TableShape } from './read-tables.ts';

export interface WriteBackupOptions {
  readonly file: string;
  /** Of the package, for the header. */
  readonly version: string;
  /** For people: which database this is. */
  readonly source: string;
  /** Take the place of a file of this name. @default false */
  readonly overwrite?: boolean;
  /** Told after each part of a table. */
  readonly onProgress?: (progress: BackupProgress) => void;
}

export interface BackupProgress {
  readonly table: string;
  /** So far, over all tables. */
  readonly rows: number;
}

export interface BackupSummary {
  readonly takenAt: string;
  readonly tables: Readonly<Record<string, number>>;
  readonly rows: number;
  readonly bytes: number;
}

/** A part that is fetched at once has about so many characters. */
const partSize = 1_000_000;
const partRowsMax = 5_000;

export async function writeBackup(database: SqlDatabase, options: WriteBackupOptions): Promise<BackupSummary> {
  const { file, overwrite = false } = options;
  if (!overwrite && existsSync(file)) {
    throw new BackupError(`${file} exists; name another file, or say --overwrite.`, { code: 'file-exists' });
  }
  const partial = `${file}.${platform.random.hex(4)}.partial`;
  const tables: Record<string, number> = {};
  try {
    const output = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
    await once(output, 'open').catch((cause: unknown) => {
      throw new BackupError(`${file} cannot be written (${codeOf(cause)}).`, { code: 'file-unusable', cause });
    });
    const takenAt = await database.transaction(async (tx) => {
      const header = await beginSnapshot(tx, database.schema, options);
      await pipeline(Readable.from(chunksOf(tx, database.schema, header, options, tables)), createGzip(), output);
      return header.takenAt;
    });
    const bytes = output.bytesWritten;
    await rename(partial, file);
    await flushFolder(dirname(file));
    const rows = Object.values(tables).reduce((sum, count) => sum + count, 0);
    return { takenAt, tables, rows, bytes };
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function beginSnapshot(
  tx: SqlExecutor,
  schema: string,
  { version, source }: WriteBackupOptions,
): Promise<BackupHeader> {
  await tx.query({ text: 'set transaction isolation level repeatable read, read only' });
  for (const setting of textSettings) await tx.query({ text: setting });
  const { rows: found } = await tx.query<{ there: boolean }>({
    text: 'select to_regclass($1) is not null as there',
    values: [`"${schema}".migrations`],
  });
  if (!found[0]?.there) {
    throw new BackupError(`There is nothing to back up: this database has no tables in schema "${schema}".`, {
      code: 'nothing-there',
    });
  }
  const { rows: migrations } = await tx.query<RecordedMigration>({
    text: `select system, number, checksum from "${schema}".migrations order by system, number`,
  });
  const { rows: clocks } = await tx.query<{ at: string; us: number }>({
    text: `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
                  (date_part('epoch', now()) * 1000000)::bigint as us`,
  });
  const { at = '', us = 0 } = clocks[0] ?? {};
  return { kannuki: 'backup', format: backupFormat, version, takenAt: at, clockUs: Number(us), source, migrations };
}

/** How values are written as text must not hang on what the server is set to. */
const textSettings = [
  `set local timezone = 'UTC'`,
  `set local datestyle = 'ISO, YMD'`,
  `set local intervalstyle = 'postgres'`,
  `set local bytea_output = 'hex'`,
  'set local extra_float_digits = 1',
  'set local statement_timeout = 0',
  'set local idle_in_transaction_session_timeout = 0',
];

async function* chunksOf(
  tx: SqlExecutor,
  schema: string,
  header: BackupHeader,
  { onProgress }: WriteBackupOptions,
  counts: Record<string, number>,
): AsyncGenerator<string> {
  const sum = sumLines();
  let rows = 0;
  yield sum.add(JSON.stringify(header));
  for (const table of await readTables(tx, schema)) {
    const { name, columns } = table;
    yield sum.add(JSON.stringify({ table: name, columns: columns.map((column) => column.name) }));
    let count = 0;
    for await (const part of readParts(tx, schema, table)) {
      yield part.map((line) => sum.add(line)).join('');
      count += part.length;
      rows += part.length;
      onProgress?.({ table: name, rows });
    }
    counts[name] = count;
  }
  yield sum.add(JSON.stringify({ sequences: await readSequences(tx, schema) }));
  const end: EndLine = { end: true, rows, sha256: sum.digest() };
  yield `${JSON.stringify(end)}\n`;
}

/** The next part is as many rows as the last one lets expect to fit. */
async function* readParts(tx: SqlExecutor, schema: string, table: TableShape): AsyncGenerator<readonly string[]> {
  const values = table.columns.map((column) => `${quoteName(column.name)}::text`).join(', ');
  await tx.query({
    text: `declare kannuki_backup no scroll cursor for
select array_to_json(array[${values}])::text as line from "${schema}".${quoteName(table.name)}`,
  });
  let count = 50;
  for (;;) {
    const { rows } = await tx.query<{ line: string }>({ text: `fetch forward ${count} from kannuki_backup` });
    if (rows.length === 0) break;
    const lines = rows.map((row) => row.line);
    yield lines;
    const size = lines.reduce((sum, line) => sum + line.length, 0);
    count = Math.max(1, Math.min(partRowsMax, count * 10, Math.floor((partSize * lines.length) / size)));
  }
  await tx.query({ text: 'close kannuki_backup' });
}

/** The new name must be on disk too. Some systems cannot; then the name survives all but a loss of power. */
async function flushFolder(dir: string): Promise<void> {
  try {
    const folder = await open(dir);
    await folder.sync().finally(() => folder.close());
  } catch {
    // Nothing to do about it.
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
