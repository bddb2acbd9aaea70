/**
 * Moves old logs out of the database.
 *
 *   1  read the log, also an older file of it, and write all of it as one file under a name of its own
 *   2  read the file back and compare its sum
 *   3  one statement: keep the reference and delete the lines, if the file has exactly what the database has
 *   4  remove the older file
 *
 * A crash after 1 or 2 leaves the log in the database, and the next round writes the same file again. A crash after 3
 * leaves the log in the file. Nothing is lost, and nothing is in both for a reader, who looks by reference. Two who
 * archive the same log at once write the same file, and one statement wins. A file has the length of its log in its
 * name, and one of another length is never finished: who comes late and finds the lines gone must not write over it.
 */
import { createHash } from 'node:crypto';
import type { Logger, SqlDatabase } from '../../../core/ports.ts';
import { JobError } from '../job-error.ts';
import type { LogArchive } from './log-archive.ts';
import { comparePlaces, type LogPart } from './log-line.ts';
import { sealLog, unsealLog } from './seal-log.ts';
import { listOldLogsStatement } from './sql/list-old-logs.ts';
import { readLogPartsStatement } from './sql/read-log-parts.ts';
import { sealLogStatement } from './sql/seal-log.ts';

export interface ArchiveLogsOptions {
  readonly database: SqlDatabase;
  readonly archive: LogArchive;
  /** Logs whose last line is older than this are moved. */
  readonly retentionSeconds: number;
  /** Logs in one call, 1 or more. @default 1_000 */
  readonly limit?: number;
  /** Ends the call after the log under way. */
  readonly signal?: AbortSignal;
  /** Told about logs that could not be moved; they stay where they are. @default nobody */
  readonly logger?: Logger;
}

export interface ArchiveLogsReport {
  readonly archived: number;
  readonly lines: number;
  readonly bytes: number;
  /** Could not be moved now. */
  readonly failed: number;
  /** There may be more than `limit`. */
  readonly more: boolean;
}

interface OldLog {
  readonly run_id: number;
  readonly lines: number;
  readonly log_ref: string | null;
  readonly archived_lines: number;
}

export async function archiveLogs(options: ArchiveLogsOptions): Promise<ArchiveLogsReport> {
  const { database, retentionSeconds, limit = 1_000, signal, logger } = options;
  const report = { archived: 0, lines: 0, bytes: 0, failed: 0, more: false };
  const { rows } = await database.query<OldLog>({
    text: listOldLogsStatement(`"${database.schema}"`),
    values: [retentionSeconds, 0, limit],
  });
  for (const old of rows) {
    if (signal?.aborted) return { ...report, more: true };
    try {
      const sealed = await archiveLog(options, old);
      if (!sealed) continue;
      report.archived++;
      report.lines += sealed.lines;
      report.bytes += sealed.bytes;
    } catch (cause) {
      // Somebody else was faster, or said more: the next round sees how it is.
      if (cause instanceof JobError && (cause.code === 'log-changed' || cause.code === 'log-missing')) continue;
      report.failed++;
      logger?.warn('the log of a run was not archived; it stays in the database', { runId: old.run_id, cause });
    }
  }
  return { ...report, more: rows.length === limit && report.archived > 0 };
}

/** Undefined: the log changed meanwhile, or somebody else was faster. */
async function archiveLog(
  { database, archive }: ArchiveLogsOptions,
  old: OldLog,
): Promise<{ readonly lines: number; readonly bytes: number } | undefined> {
  const before = old.log_ref === null ? undefined : keyOf(archive, old.log_ref, old.run_id);
  const parts =
    before === undefined
      ? storedParts(database, old.run_id)
      : merged(unsealLog(archive.read(before, 0)), storedParts(database, old.run_id));
  // Named by its length, so that a longer one does not overwrite a file that somebody reads.
  const allLines = old.lines + old.archived_lines;
  const key = `runs/${Math.floor(old.run_id / 1_000)}/${old.run_id}-${allLines}.log.gz`;
  const sealed = sealLog(parts, allLines);
  await archive.write(key, sealed.chunks);
  const { lines, bytes, sha256, places } = sealed.summary();
  const stored = await sumOf(archive.read(key, 0));
  if (stored !== sha256)
    throw new JobError(`What ${archive.refPrefix}${key} holds is not what was written.`, { code: 'log-corrupt' });
  const { rowCount } = await database.query({
    text: sealLogStatement(`"${database.schema}"`),
    values: [
      old.run_id,
      archive.refPrefix + key,
      old.log_ref,
      lines - old.archived_lines,
      lines,
      bytes,
      sha256,
      JSON.stringify(places),
    ],
  });
  if (rowCount === 0) return undefined;
  if (before !== undefined && before !== key) await archive.remove(before);
  return { lines, bytes };
}

function keyOf({ refPrefix }: LogArchive, ref: string, runId: number): string {
  if (ref.startsWith(refPrefix)) return ref.slice(refPrefix.length);
  throw new JobError(`The older part of the log of run ${runId} is at ${ref}, which is another archive.`, {
    code: 'unsupported',
    runId,
  });
}

interface PartRow {
  readonly attempt: number | null;
  readonly part: number | null;
  readonly at_ms: number | null;
  readonly body: string | null;
}

async function* storedParts(database: SqlDatabase, runId: number): AsyncGenerator<LogPart> {
  const partsPerLook = 32;
  let from = { attempt: 0, part: 0 };
  for (;;) {
    const { rows } = await database.query<PartRow>({
      text: readLogPartsStatement(`"${database.schema}"`),
      values: [runId, from.attempt, from.part, partsPerLook],
      name: `kannuki_read_log_parts_${database.schema}`,
    });
    for (const { attempt, part, at_ms, body } of rows) {
      if (attempt === null || part === null || body === null) return;
      yield { attempt, part, atMs: Math.floor(at_ms ?? 0), lines: body.split('\n') };
      from = { attempt, part: part + 1 };
    }
    if (rows.length < partsPerLook) return;
  }
}

/** Two ordered sources as one. */
async function* merged(first: AsyncGenerator<LogPart>, second: AsyncGenerator<LogPart>): AsyncGenerator<LogPart> {
  try {
    let [a, b] = [await first.next(), await second.next()];
    while (!a.done || !b.done) {
      if (b.done || (!a.done && comparePlaces(a.value, b.value) <= 0)) {
        if (!a.done) yield a.value;
        a = await first.next();
      } else {
        yield b.value;
        b = await second.next();
      }
    }
  } finally {
    await first.return(undefined);
    await second.return(undefined);
  }
}

async function sumOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}
