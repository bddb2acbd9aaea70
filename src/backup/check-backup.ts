/** Reads a backup file: first all of it to see that nothing is missing or changed, then again to use it. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { BackupError } from './backup-error.ts';
import {
  type BackupHeader,
  backupFormat,
  type EndLine,
  type SequenceState,
  sumLines,
  type TableLine,
} from './backup-header.ts';

export interface CheckedBackup {
  readonly header: BackupHeader;
  /** Rows of each table, in the order of the file. */
  readonly tables: Readonly<Record<string, number>>;
  readonly rows: number;
}

/** A line as text: rows are passed on as they are. */
export type BackupEntry =
  | { readonly kind: 'table'; readonly table: TableLine }
  | { readonly kind: 'row'; readonly line: string }
  | { readonly kind: 'sequences'; readonly sequences: readonly SequenceState[] };

/** Throws `BackupError` unless every byte is as it was written. */
export async function checkBackup(file: string): Promise<CheckedBackup> {
  const sum = sumLines();
  const tables: Record<string, number> = {};
  let header: BackupHeader | undefined;
  let table: string | undefined;
  let end: EndLine | undefined;
  let rows = 0;
  for await (const line of linesOf(file)) {
    if (end) throw damaged(file, 'something follows its end');
    if (!header) header = readHeader(file, line);
    else if (line.startsWith('[')) {
      if (table === undefined) throw damaged(file, 'a row has no table');
      tables[table] = (tables[table] ?? 0) + 1;
      rows += 1;
    } else {
      const control = parseLine(file, line);
      if ('table' in control) {
        table = control.table;
        tables[table] = 0;
      } else if ('end' in control) {
        end = control;
        continue;
      }
    }
    sum.add(line);
  }
  if (!header || !end) throw damaged(file, 'its end is missing');
  if (end.sha256 !== sum.digest() || end.rows !== rows) throw damaged(file, 'its checksum is wrong');
  return { header, tables, rows };
}

/** Everything between the header and the end of a file that was checked. */
export async function* readEntries(file: string): AsyncGenerator<BackupEntry> {
  let first = true;
  for await (const line of linesOf(file)) {
    if (first) {
      first = false;
      continue;
    }
    if (line.startsWith('[')) {
      yield { kind: 'row', line };
      continue;
    }
    const control = parseLine(file, line);
    if ('table' in control) yield { kind: 'table', table: control };
    else if ('sequences' in control) yield { kind: 'sequences', sequences: control.sequences };
  }
}

function readHeader(file: string, line: string): BackupHeader {
  let header: Partial<BackupHeader>;
  try {
    header = JSON.parse(line) as Partial<BackupHeader>;
  } catch (cause) {
    throw damaged(file, 'it does not begin like a backup', cause);
  }
  if (header.kannuki !== 'backup' || typeof header.format !== 'number') {
    throw damaged(file, 'it does not begin like a backup');
  }
  if (header.format > backupFormat) {
    throw new BackupError(
      `${file} was written by Kannuki ${header.version} in format ${header.format}, and this version reads up to ${backupFormat}: install that version or a newer one.`,
      { code: 'newer' },
    );
  }
  return header as BackupHeader;
}

type Control = TableLine | { readonly sequences: readonly SequenceState[] } | EndLine;

function parseLine(file: string, line: string): Control {
  try {
    const control = JSON.parse(line) as Control;
    if ('table' in control || 'sequences' in control || 'end' in control) return control;
  } catch (cause) {
    throw damaged(file, 'a line cannot be read', cause);
  }
  throw damaged(file, 'a line cannot be read');
}

/** Only the line feed ends a line: text may hold every other sign that looks like one. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const source = createReadStream(file);
  const gunzip = createGunzip();
  // Its failure ends the loop below as well, which tells it.
  const piped = pipeline(source, gunzip).catch(() => undefined);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest: string[] = [];
  try {
    for await (const chunk of gunzip) {
      const parts = decoder.decode(chunk as Uint8Array, { stream: true }).split('\n');
      const last = parts.pop() ?? '';
      for (const part of parts) {
        yield rest.length > 0 ? `${rest.join('')}${part}` : part;
        rest = [];
      }
      if (last !== '') rest.push(last);
    }
  } catch (error) {
    throw explain(file, error);
  } finally {
    source.destroy();
    gunzip.destroy();
    await piped;
  }
  if (rest.length > 0) throw damaged(file, 'its last line is cut short');
}

function explain(file: string, cause: unknown): unknown {
  if (cause instanceof BackupError) return cause;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (/^(ENOENT|EACCES|EISDIR|EPERM|EIO)$/.test(code)) {
    return code === 'ENOENT'
      ? new BackupError(`${file} does not exist.`, { code: 'file-missing', cause })
      : new BackupError(`${file} cannot be read (${code}).`, { code: 'file-unusable', cause });
  }
  return damaged(file, 'it cannot be unpacked', cause);
}

function damaged(file: string, why: string, cause?: unknown): BackupError {
  return new BackupError(`${file} is no complete backup: ${why}. Nothing was changed; take another backup.`, {
    code: 'damaged',
    cause,
  });
}
