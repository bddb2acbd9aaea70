/**
 * Reads a run's log page by page, wherever it is: in the database, in the archive, or in both. The place after a page
 * stays good when the log moves in between.
 */
import type { SqlDatabase } from '../../../core/ports.ts';
import { JobError } from '../job-error.ts';
import type { LogArchive } from './log-archive.ts';
import { comparePlaces, type LogLine, type LogPart, type LogPlace, logStart } from './log-line.ts';
import { byteOfPlace, type SealedPlace, unsealLog } from './seal-log.ts';
import { readLogPartsStatement } from './sql/read-log-parts.ts';

export interface ReadLogOptions {
  readonly database: SqlDatabase;
  /** Where old logs are. Without it an archived log cannot be read, and the error says where it is. */
  readonly archive?: LogArchive | undefined;
  readonly runId: number;
  /** Lines after this place. @default from the beginning */
  readonly after?: LogPlace;
  /** 1 to 10,000. A page also ends after a million characters. @default 1_000 */
  readonly limit?: number;
}

export interface LogPage {
  readonly lines: readonly LogLine[];
  /** Read on from here. */
  readonly next: LogPlace;
  /** False: nothing more is stored now. A run under way may still say more. */
  readonly more: boolean;
}

interface Row {
  readonly log_ref: string | null;
  readonly places: readonly SealedPlace[] | null;
  readonly attempt: number | null;
  readonly part: number | null;
  readonly at_ms: number | null;
  readonly body: string | null;
}

const pageCharsMax = 1_000_000;
/** Parts asked for at a time: a page of short lines is in one or two of them. */
const partsPerLook = 16;

export async function readLog(options: ReadLogOptions): Promise<LogPage> {
  try {
    return await readPage(options);
  } catch (error) {
    // A newer file has replaced the one that was named; the second look names the newer one.
    if (error instanceof JobError && error.code === 'log-missing') return await readPage(options);
    throw error;
  }
}

async function readPage(options: ReadLogOptions): Promise<LogPage> {
  const { database, archive, runId, after = logStart, limit = 1_000 } = options;
  const page = createPage(after, limit);
  let look = await lookAt(database, runId, page.place());
  if (look.ref !== undefined) {
    const { key, from } = archiveKey(archive, look.ref, runId);
    const byte = byteOfPlace(look.places, after);
    for await (const part of unsealLog(from.read(key, byte))) if (!page.add(part)) return page.done(true);
  }
  for (;;) {
    for (const part of look.parts) if (!page.add(part)) return page.done(true);
    if (look.parts.length < partsPerLook) return page.done(false);
    look = await lookAt(database, runId, page.place());
  }
}

interface Look {
  readonly ref: string | undefined;
  readonly places: readonly SealedPlace[];
  readonly parts: readonly LogPart[];
}

async function lookAt(database: SqlDatabase, runId: number, place: LogPlace): Promise<Look> {
  const { rows } = await database.query<Row>({
    text: readLogPartsStatement(`"${database.schema}"`),
    values: [runId, place.attempt, place.part, partsPerLook],
    name: `kannuki_read_log_parts_${database.schema}`,
  });
  const parts = rows.flatMap(({ attempt, part, at_ms, body }) =>
    attempt === null || part === null || body === null
      ? []
      : [{ attempt, part, atMs: Math.floor(at_ms ?? 0), lines: body.split('\n') }],
  );
  return { ref: rows[0]?.log_ref ?? undefined, places: rows[0]?.places ?? [], parts };
}

function archiveKey(
  archive: LogArchive | undefined,
  ref: string,
  runId: number,
): { readonly key: string; readonly from: LogArchive } {
  if (archive && ref.startsWith(archive.refPrefix)) return { key: ref.slice(archive.refPrefix.length), from: archive };
  throw new JobError(`The log of run ${runId} is archived at ${ref}; configure that archive here to read it.`, {
    code: 'unsupported',
    runId,
  });
}

/** Collects lines after a place until the page is full. */
function createPage(
  after: LogPlace,
  limit: number,
): {
  /** False: the page was full before the part was over. */
  add(part: LogPart): boolean;
  place(): LogPlace;
  done(more: boolean): LogPage;
} {
  const lines: LogLine[] = [];
  let place = after;
  let chars = 0;
  return {
    add(part) {
      const order = comparePlaces(part, place);
      if (order < 0) return true;
      for (let line = order === 0 ? place.line : 0; line < part.lines.length; line++) {
        if (lines.length >= limit || chars >= pageCharsMax) return false;
        const text = part.lines[line] ?? '';
        lines.push({ attempt: part.attempt, atMs: part.atMs, text });
        chars += text.length;
        place = { attempt: part.attempt, part: part.part, line: line + 1 };
      }
      return true;
    },
    place: () => place,
    done: (more) => ({ lines, next: place, more }),
  };
}
