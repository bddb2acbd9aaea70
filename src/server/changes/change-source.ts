/** The database side of the stream: each method is one or two statements. */
import type { Random, SqlDatabase } from '../../core/ports.ts';
import type { ResumePoint } from './resume-id.ts';
import { keepWatchStatement } from './sql/keep-watch.ts';
import { pruneChangesStatement } from './sql/prune-changes.ts';
import { readChangesStatement } from './sql/read-changes.ts';
import { settleWatchStatement } from './sql/settle-watch.ts';

export interface ChangeRow {
  readonly topic: string;
  readonly ids: readonly string[] | null;
}

export interface ChangesRead {
  /** Where we are now. */
  readonly point: ResumePoint;
  /** False: something may be missing between the place that was given and this one. */
  readonly complete: boolean;
  /** Whoever began unwatched had ended at the place that was given. */
  readonly settled: boolean;
  /** More than `rowsMax` would say: anything may have changed. */
  readonly tooMany: boolean;
  readonly rows: readonly ChangeRow[];
}

export interface ChangeSource {
  /** Begins the watch or prolongs it. */
  keepWatch(): Promise<ResumePoint>;
  /** Undefined: nobody watches any more. */
  read(since: ResumePoint): Promise<ChangesRead | undefined>;
  prune(upTo: ResumePoint): Promise<void>;
}

export interface ChangeSourceOptions {
  readonly database: SqlDatabase;
  readonly random: Random;
  /** How long the watch outlives its last listener: within it a client may come back, to any server. */
  readonly watchMs: number;
  /** For a test that shows what another way of reading would miss. @default `readChangesStatement` */
  readonly readStatement?: (schema: string) => string;
}

/** Rows of one read; more are told as "anything". */
const rowsMax = 2_000;
/** How much longer triggers write than the watch stands: longer than any commit of `keepWatch` takes. */
export const marginMs = 60_000;

interface Row extends ChangeRow {
  readonly snapshot: string;
  readonly incarnation: string;
  readonly watched: boolean;
  readonly settled: boolean;
  readonly whole: boolean;
}

export function changeSource(options: ChangeSourceOptions): ChangeSource {
  const { database, random, watchMs, readStatement = readChangesStatement } = options;
  const schema = `"${database.schema}"`;
  const keep = keepWatchStatement(schema);
  const settle = settleWatchStatement(schema);
  const readText = readStatement(schema);
  const pruneText = pruneChangesStatement(schema);
  return {
    async keepWatch() {
      const { rows } = await database.query<{ incarnation: string }>({
        text: keep,
        values: [random.hex(8), watchMs, marginMs],
      });
      const incarnation = rows[0]?.incarnation ?? '';
      await database.query({ text: settle, values: [incarnation] });
      const now = await database.query<{ snapshot: string }>({
        text: 'select pg_current_snapshot()::text as snapshot',
      });
      return { incarnation, snapshot: now.rows[0]?.snapshot ?? '' };
    },
    async read(since) {
      const { rows } = await database.query<Row>({ text: readText, values: [since.snapshot, rowsMax] });
      const [first] = rows;
      if (!first) return undefined;
      const { snapshot, incarnation, watched, settled, whole } = first;
      if (!watched) return undefined;
      return {
        point: { incarnation, snapshot },
        complete: whole && incarnation === since.incarnation,
        settled,
        tooMany: rows.length >= rowsMax,
        rows: rows.filter(({ topic }) => topic !== null),
      };
    },
    async prune({ snapshot, incarnation }) {
      await database.query({ text: pruneText, values: [snapshot, incarnation] });
    },
  };
}
