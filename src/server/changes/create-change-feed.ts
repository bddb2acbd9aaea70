/**
 * One reader per process for all who listen. It runs while somebody does.
 *
 *   every 0.5 s    read what became visible since the last place, tell everybody
 *   every 15 s     prolong the watch, and say `alive` with the place, so that an idle client's place stays young
 *   a client comes with a place: it hears from now on, and what lies between its place and now is read for it alone
 *                  (once for all that bring the same one: those of a server that died)
 *                  without, or with one that cannot be resumed: `reset`, load everything
 *
 * A place is resumed only if nothing can be missing: the same watch stood all the time, nothing after the place was
 * removed, and whoever was under way when the watch began had ended at the place. A database that does not answer costs
 * time, nothing else: the place stays where it is.
 */
import { platform } from '#platform';
import type { Clock, Logger, Random, SqlDatabase } from '../../core/ports.ts';
import { createWakeUp } from '../wake-up.ts';
import { type ChangeSourceOptions, type ChangesRead, changeSource, marginMs } from './change-source.ts';
import { aliveMessage, changeMessage, everything, type FeedMessage, mergeChanges, resetMessage } from './event-text.ts';
import { formatResumeId, parseResumeId, type ResumePoint } from './resume-id.ts';

export interface ChangeFeedOptions {
  /** Has the tables of `changeMigrationsFor`. */
  readonly database: SqlDatabase;
  /** How often changes are looked for while somebody listens, 10 to 10000. @default 500 */
  readonly pollMs?: number;
  /** How often an idle client hears that the stream lives, 10 to 60000. @default 15000 */
  readonly aliveMs?: number;
  /** How long after it was cut off a client can come back without loading everything, at least. @default 90000 */
  readonly resumeMs?: number;
  /** @default silent */
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
  /** For tests: another way to read, which misses something. */
  readonly readStatement?: ChangeSourceOptions['readStatement'];
}

export interface ChangeFeed {
  /** Hears from `after` on, or from now. The first message may come before this returns. */
  join(hear: (message: FeedMessage) => void, after?: string): Promise<{ leave(): void }>;
  /** How many listen. */
  readonly size: number;
  /** Nobody hears anything any more. */
  close(): Promise<void>;
}

interface Listener {
  readonly hear: (message: FeedMessage) => void;
  /** What came while its own past was read. */
  held: FeedMessage[] | undefined;
}

export function createChangeFeed(options: ChangeFeedOptions): ChangeFeed {
  const { database, clock = platform.clock, random = platform.random, logger } = options;
  const { pollMs = 500, aliveMs = 15_000, resumeMs = 90_000, readStatement } = options;
  const source = changeSource({
    database,
    random,
    watchMs: resumeMs + aliveMs,
    ...(readStatement && { readStatement }),
  });
  const listeners = new Set<Listener>();
  const pasts = new Map<string, Promise<FeedMessage | undefined>>();
  const closed = new AbortController();
  const wakeUp = createWakeUp(clock, [closed.signal]);
  const kept: { readonly atMs: number; readonly point: ResumePoint }[] = [];
  let point: ResumePoint | undefined;
  let settled: boolean | undefined;
  let starting: Promise<ResumePoint> | undefined;
  let running: Promise<void> = Promise.resolve();
  let aliveAtMs = 0;

  const tell = (message: FeedMessage): void => {
    for (const { hear, held } of listeners) {
      if (held) held.push(message);
      else hear(message);
    }
  };

  const begin = async (): Promise<ResumePoint> => {
    const now = await source.keepWatch();
    point = now;
    settled = undefined;
    aliveAtMs = clock.monotonicMs() + aliveMs;
    kept.length = 0;
    kept.push({ atMs: clock.monotonicMs(), point: now });
    return now;
  };

  /** Everybody loads anew, from where the watch stands now. */
  const startAnew = async (): Promise<void> => tell(resetMessage(formatResumeId(await begin())));

  const keep = async (): Promise<void> => {
    const nowMs = clock.monotonicMs();
    if (!point || nowMs < aliveAtMs) return;
    const held = await source.keepWatch();
    // The watch had ended, or was so late that triggers may have stopped: what came between is not known.
    if (held.incarnation !== point.incarnation || clock.monotonicMs() - nowMs > marginMs) {
      await startAnew();
      return;
    }
    aliveAtMs = nowMs + aliveMs;
    tell(aliveMessage(formatResumeId(point)));
    kept.push({ atMs: nowMs, point });
    const old = kept.findLast(({ atMs }) => atMs <= nowMs - resumeMs);
    if (!old) return;
    kept.splice(0, kept.indexOf(old) + 1);
    await source.prune(old.point);
  };

  const poll = async (): Promise<void> => {
    if (!point) return;
    const before = point;
    const read = await source.read(before);
    if (!read?.complete) {
      await startAnew();
      return;
    }
    point = read.point;
    const id = formatResumeId(read.point);
    const hadBegunUnwatched = settled === false && read.settled;
    settled = read.settled;
    const message = hadBegunUnwatched ? resetMessage(id) : messageOf(read, formatResumeId(before));
    if (message) tell(message);
  };

  const run = async (): Promise<void> => {
    let failing = false;
    while (listeners.size > 0 && !closed.signal.aborted) {
      await wakeUp.within(pollMs);
      try {
        if (listeners.size === 0 || closed.signal.aborted) break;
        await keep();
        await poll();
        failing = false;
      } catch (cause) {
        if (!failing) logger?.warn('changes could not be read; the stream goes on when they can', { cause });
        failing = true;
      }
    }
    point = undefined;
    starting = undefined;
  };

  /** Where the running reader is; starts it if need be. */
  const ensureRunning = (): Promise<ResumePoint> => {
    starting ??= begin().then(
      (now) => {
        running = run();
        return now;
      },
      (cause: unknown) => {
        starting = undefined;
        throw cause;
      },
    );
    return starting;
  };

  /** What happened since a client's place, or undefined if that cannot be told. */
  const readPast = (after: string): Promise<FeedMessage | undefined> => {
    const since = parseResumeId(after);
    if (!since) return Promise.resolve(undefined);
    // Shared only while the reader stands still: who comes after its next step must hear from that step on.
    const name = `${after} ${point?.snapshot}`;
    const known = pasts.get(name);
    if (known) return known;
    const past = source
      .read(since)
      .then((read) =>
        read?.complete && read.settled
          ? (messageOf(read, after) ?? aliveMessage(formatResumeId(read.point)))
          : undefined,
      )
      .finally(() => pasts.delete(name));
    pasts.set(name, past);
    return past;
  };

  return {
    async join(hear, after) {
      const listener: Listener = { hear, held: [] };
      listeners.add(listener);
      try {
        const started = await ensureRunning();
        const past = after === undefined ? undefined : await readPast(after);
        const held = listener.held ?? [];
        listener.held = undefined;
        hear(past ?? resetMessage(formatResumeId(point ?? started)));
        for (const message of held) hear(message);
      } catch (error) {
        listeners.delete(listener);
        throw error;
      }
      return { leave: () => void listeners.delete(listener) };
    },
    get size() {
      return listeners.size;
    },
    async close() {
      listeners.clear();
      closed.abort();
      await running;
      wakeUp.close();
    },
  };
}

function messageOf(read: ChangesRead, beforeId: string): FeedMessage | undefined {
  const changes = read.tooMany ? everything() : mergeChanges(read.rows);
  return changes.length === 0 ? undefined : changeMessage(changes, beforeId, formatResumeId(read.point));
}
