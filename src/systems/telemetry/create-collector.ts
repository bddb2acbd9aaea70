/**
 * The collector takes batches and answers when they are safe.
 *
 *   1. The envelope and every event are checked; a source over its limit is told when to come again.
 *   2. Batches that arrive while a write is under way go together into the next one: first the lines of the file,
 *      then one statement in the database. Acknowledged therefore means: in both.
 *   3. The same batch sent twice (a reply was lost) is stored once in the database; the file may have it twice, with
 *      the same batch and number.
 *
 * It reads and writes nothing else: neither a lock nor a project.
 */
import { platform as realPlatform } from '#platform';
import type { Platform, SqlDatabase } from '../../core/ports.ts';
import { createSourceLimit, type SourceLimitOptions } from '../../core/source-limit.ts';
import { isoTime } from '../../platform/iso-time.ts';
import { createEventFile } from './event-file.ts';
import { parseBatch, type RefusedEvent } from './parse-batch.ts';
import { insertEventsStatement } from './sql/insert-events.ts';
import { pruneEventsStatement } from './sql/prune-events.ts';

export interface CollectorOptions {
  readonly database: SqlDatabase;
  /** Folder of the day files. Absent: database only. */
  readonly dir?: string;
  readonly limit?: SourceLimitOptions;
  /** How long events are kept in the database: from 1 day. @default 2592000000 (30 days) */
  readonly retentionMs?: number;
  readonly platform?: Platform;
}

export type CollectReply =
  | { readonly outcome: 'stored'; readonly accepted: number; readonly refused: readonly RefusedEvent[] }
  | { readonly outcome: 'malformed'; readonly reason: string }
  | { readonly outcome: 'limited'; readonly retryAfterMs: number };

export interface Collector {
  /** `source` is who is limited: a session's address or key. Throws only when the file or the database fails. */
  collect(body: unknown, source: string): Promise<CollectReply>;
  /** Forgets events past their retention; returns how many. */
  prune(): Promise<number>;
  /** Waits for what was taken in. */
  close(): Promise<void>;
}

interface StoredEvent {
  readonly batch: string;
  readonly number: number;
  readonly session: string;
  readonly phase: string;
  readonly name: string;
  readonly count: number;
  readonly strategy?: string;
  readonly operation?: string;
  readonly reason?: string;
  readonly code?: string;
  readonly durationMs?: number;
  readonly ageMs: number;
}

interface Waiting {
  readonly events: readonly StoredEvent[];
  readonly stored: () => void;
  readonly failed: (error: unknown) => void;
}

/** More than this in one statement gains nothing and makes the others wait. */
const batchesPerWrite = 50;
const pruneStep = 10_000;

export function createCollector(options: CollectorOptions): Collector {
  const { database, dir, retentionMs = 2_592_000_000, platform = realPlatform } = options;
  const schema = `"${database.schema}"`;
  const insert = insertEventsStatement(schema);
  const file = dir === undefined ? undefined : createEventFile(dir);
  const limit = createSourceLimit(options.limit);
  const waiting: Waiting[] = [];
  let writing: Promise<void> | undefined;

  const write = async (events: readonly StoredEvent[]): Promise<void> => {
    const nowMs = platform.clock.wallMs();
    await file?.append(
      events.map(({ ageMs, ...event }) => ({ at: isoTime(nowMs - ageMs), ...event })),
      nowMs,
    );
    await database.query({ text: insert, values: columnsOf(events) });
  };

  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const taken = waiting.splice(0, batchesPerWrite);
      try {
        await write(taken.flatMap(({ events }) => events));
        for (const { stored } of taken) stored();
      } catch (error) {
        for (const { failed } of taken) failed(error);
      }
    }
    writing = undefined;
  };

  return {
    async collect(body, source) {
      const batch = parseBatch(body);
      if (!batch.ok) return { outcome: 'malformed', reason: batch.reason };
      const { events, refused } = batch;
      const room = limit.take(source, events.length + refused.length, platform.clock.monotonicMs());
      if (!room.ok) return { outcome: 'limited', retryAfterMs: room.retryAfterMs };
      if (events.length > 0) {
        await new Promise<void>((stored, failed) => {
          waiting.push({
            events: events.map((event) => ({
              batch: batch.id,
              session: batch.session,
              phase: batch.phase,
              count: 1,
              ...event,
            })),
            stored,
            failed,
          });
          writing ??= writeAll();
        });
      }
      return { outcome: 'stored', accepted: events.length, refused };
    },

    async prune() {
      const text = pruneEventsStatement(schema);
      let pruned = 0;
      for (;;) {
        const { rowCount } = await database.query({ text, values: [retentionMs, pruneStep] });
        pruned += rowCount;
        if (rowCount < pruneStep) return pruned;
      }
    },

    async close() {
      await writing;
      await file?.close();
    },
  };
}

function columnsOf(events: readonly StoredEvent[]): readonly unknown[] {
  const column = (field: keyof StoredEvent): unknown[] => events.map((event) => event[field] ?? null);
  return [
    column('batch'),
    column('number'),
    column('session'),
    column('phase'),
    column('name'),
    column('count'),
    column('strategy'),
    column('operation'),
    column('reason'),
    column('code'),
    column('durationMs'),
    column('ageMs'),
  ];
}
