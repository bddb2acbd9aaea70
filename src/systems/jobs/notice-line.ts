/**
 * One LISTEN for all parts of a process. A notice is a hint: it may be late, doubled or missing, and every listener
 * has a poll as floor. A connection that broke is opened anew, and then everybody looks once.
 *
 *   run|queue|priority|seconds   ungated runs are there, from this position on
 *   lead                         the leader has something to do
 *   work|worker                  a worker was given something, or its state changed
 *   cancel|worker|run            a cancel was asked for
 *   settings                     settings changed
 *   missed                       anything may have changed: everybody looks
 */
import type { Clock, Logger, SqlDatabase, Subscription, Timer } from '../../core/ports.ts';
import { jobChannel } from './sql/job-statements.ts';

export type JobNotice =
  | { readonly kind: 'run'; readonly queueId: number; readonly priority: number; readonly seconds: number }
  | { readonly kind: 'lead' | 'settings' | 'missed' }
  | { readonly kind: 'work'; readonly workerId: number }
  | { readonly kind: 'cancel'; readonly workerId: number; readonly runId: number };

export interface NoticeLine {
  /** Hears every notice, and `missed` when some may have been lost; returns how to stop. */
  subscribe(listener: (notice: JobNotice) => void): Promise<() => void>;
  close(): Promise<void>;
}

const checkEveryMs = 1_000;

export function createNoticeLine(database: SqlDatabase, clock: Clock, logger: Logger): NoticeLine {
  const listeners = new Set<(notice: JobNotice) => void>();
  let subscription: Subscription | undefined;
  let opening: Promise<void> | undefined;
  let timer: Timer | undefined;
  let closed = false;

  const tell = (notice: JobNotice): void => {
    for (const listener of listeners) listener(notice);
  };

  const open = async (): Promise<void> => {
    if (!database.capabilities.listen || closed || subscription?.isLive()) return;
    const wasOpen = subscription !== undefined;
    try {
      subscription = await database.listen(jobChannel(database.schema), (text) => {
        const notice = parseJobNotice(text);
        if (notice) tell(notice);
      });
      if (wasOpen) tell({ kind: 'missed' });
    } catch (error) {
      logger.debug('Jobs could not listen for notices; polling goes on', { error });
    }
  };

  const ensureOpen = (): Promise<void> => {
    opening ??= open().finally(() => {
      opening = undefined;
    });
    return opening;
  };

  const watch = (): void => {
    timer = clock.after(
      checkEveryMs,
      () => {
        if (closed) return;
        void ensureOpen();
        watch();
      },
      { background: true },
    );
  };

  return {
    async subscribe(listener) {
      listeners.add(listener);
      await ensureOpen();
      if (!timer && database.capabilities.listen) watch();
      return () => void listeners.delete(listener);
    },
    async close() {
      closed = true;
      timer?.cancel();
      listeners.clear();
      await opening;
      await subscription?.close().catch(() => undefined);
    },
  };
}

export function parseJobNotice(text: string): JobNotice | undefined {
  const [kind, first, second, third] = text.split('|');
  switch (kind) {
    case 'run':
      return { kind, queueId: Number(first), priority: Number(second), seconds: Number(third) };
    case 'lead':
    case 'missed':
    case 'settings':
      return { kind };
    case 'work':
      return { kind, workerId: Number(first) };
    case 'cancel':
      return { kind, workerId: Number(first), runId: Number(second) };
    default:
      return undefined;
  }
}
