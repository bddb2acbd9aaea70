/**
 * Takes lines from handlers and writes them in batches: one statement in flight, what comes meanwhile is the next one.
 *
 * Memory is bounded. A handler that awaits `flushLog` is slowed to the speed of the database and loses nothing; lines of
 * one that does not, beyond the bound, are dropped, counted, and the log says so. Parts are numbered by this process,
 * and a statement whose reply was lost is sent again under the same numbers, so no line is stored twice.
 */
import { platform as ambientPlatform } from '#platform';
import type { Clock, Logger, SqlDatabase, Timer } from '../../../core/ports.ts';
import type { JobLogWriter } from '../job-log-writer.ts';
import { insertLogPartsStatement } from './sql/insert-log-parts.ts';

export interface LogWriterOptions {
  readonly database: SqlDatabase;
  /** Lines wait at most this long for others, 0 to 10,000. @default 100 */
  readonly delayMs?: number;
  /** Characters held in memory, over all runs. @default 8_388_608 */
  readonly heldCharsMax?: number;
  /** The database failed for this long: what is held is given up. @default 30_000 */
  readonly giveUpAfterMs?: number;
  /** @default nobody */
  readonly logger?: Logger;
  /** @default the real clock */
  readonly clock?: Clock;
}

interface Part {
  readonly runId: number;
  readonly attempt: number;
  readonly part: number;
  readonly lines: string[];
  chars: number;
}

/** A part is read as a whole; a statement of many parts stays well under what a driver likes. */
const partCharsMax = 65_536;
const batchCharsMax = 1_048_576;
const lineCharsMax = 65_536;
const firstRetryMs = 100;
const retryMsMax = 2_000;

export function createLogWriter(options: LogWriterOptions): JobLogWriter {
  const { database, delayMs = 100, heldCharsMax = 8_388_608, giveUpAfterMs = 30_000, logger } = options;
  const clock = options.clock ?? ambientPlatform.clock;
  const text = insertLogPartsStatement(`"${database.schema}"`);
  const statementName = `kannuki_insert_log_parts_${database.schema}`;

  let nextPart = 1;
  /** Parts that still take lines, by run and attempt; then those that are full. Both in order. */
  let open = new Map<string, Part>();
  let full: Part[] = [];
  let heldChars = 0;
  let dropped = new Map<string, { readonly runId: number; readonly attempt: number; lines: number }>();
  let timer: Timer | undefined;
  /** The loop that writes until nothing is left, and its present statement. */
  let writing: Promise<void> | undefined;
  let round: Promise<void> = Promise.resolve();
  /** Batches are taken in order, so every part up to this one is stored, or given up. */
  let storedPart = 0;
  let closed = false;

  const addLine = (runId: number, attempt: number, line: string): void => {
    const key = `${runId}.${attempt}`;
    let part = open.get(key);
    if (part && part.chars + line.length > partCharsMax) {
      full.push(part);
      part = undefined;
    }
    if (!part) {
      part = { runId, attempt, part: nextPart++, lines: [], chars: 0 };
      open.set(key, part);
    }
    part.lines.push(line);
    // The end of the line counts, so that empty lines are not free.
    part.chars += line.length + 1;
    heldChars += line.length + 1;
  };

  const takeBatch = (): Part[] => {
    for (const { runId, attempt, lines } of dropped.values()) {
      addLine(runId, attempt, `… ${lines} lines were dropped here: they came faster than they could be stored`);
    }
    dropped = new Map();
    const all = [...full, ...open.values()].sort((a, b) => a.part - b.part);
    let chars = 0;
    let count = 0;
    while (count < all.length && (count === 0 || chars < batchCharsMax)) chars += all[count++]?.chars ?? 0;
    full = all.slice(count);
    open = new Map();
    return all.slice(0, count);
  };

  const write = async (batch: readonly Part[]): Promise<void> => {
    const values = [
      batch.map(({ runId }) => runId),
      batch.map(({ attempt }) => attempt),
      batch.map(({ part }) => part),
      batch.map(({ lines }) => lines.length),
      batch.map(({ lines }) => lines.join('\n')),
    ];
    const startMs = clock.monotonicMs();
    for (let retryMs = firstRetryMs; ; retryMs = Math.min(retryMs * 2, retryMsMax)) {
      try {
        await database.query({ text, values, name: statementName });
        return;
      } catch (cause) {
        if (clock.monotonicMs() - startMs >= giveUpAfterMs) {
          const lines = batch.reduce((sum, part) => sum + part.lines.length, 0);
          logger?.error('lines of run logs were given up: the database did not take them', { lines, cause });
          return;
        }
        await new Promise<void>((resolve) => clock.after(retryMs, resolve));
      }
    }
  };

  const run = async (): Promise<void> => {
    while (full.length > 0 || open.size > 0 || dropped.size > 0) {
      const batch = takeBatch();
      round = write(batch);
      await round;
      heldChars -= batch.reduce((sum, { chars }) => sum + chars, 0);
      storedPart = batch.at(-1)?.part ?? storedPart;
    }
  };

  const start = (): Promise<void> => {
    timer?.cancel();
    timer = undefined;
    writing ??= run().finally(() => {
      writing = undefined;
    });
    return writing;
  };

  return {
    append(runId, attempt, given) {
      if (closed) return;
      // PostgreSQL keeps no NUL in a text.
      const clean = given.includes('\0') ? given.replaceAll('\0', '\uFFFD') : given;
      for (const line of clean.split(/\r?\n/)) {
        if (heldChars >= heldCharsMax) {
          const key = `${runId}.${attempt}`;
          const count = dropped.get(key) ?? { runId, attempt, lines: 0 };
          count.lines++;
          dropped.set(key, count);
          continue;
        }
        for (let at = 0; at === 0 || at < line.length; at += lineCharsMax) {
          addLine(runId, attempt, line.slice(at, at + lineCharsMax));
        }
      }
      if (writing) return;
      if (heldChars >= batchCharsMax) void start();
      else timer ??= clock.after(delayMs, () => void start(), { background: true });
    },
    async flush() {
      // Others may go on appending; only what is there now is waited for.
      const lastPart = nextPart - 1;
      while (storedPart < lastPart) {
        void start();
        await round;
        // The loop takes note of its round one step later.
        await Promise.resolve();
      }
    },
    async close() {
      closed = true;
      timer?.cancel();
      timer = undefined;
      while (full.length > 0 || open.size > 0 || dropped.size > 0 || writing) await start();
    },
  };
}
