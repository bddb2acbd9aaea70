/** Moves old logs to the archive now and then, in the process that leads. A failure is told and tried again later. */
import type { Clock, Logger, Timer } from '../../../core/ports.ts';
import type { ArchiveLogsReport } from './archive-logs.ts';

export interface LogKeeper {
  /** Ends after the log under way. */
  stop(): Promise<void>;
}

export interface LogKeeperOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly isLeading: () => boolean;
  readonly archive: (options: { readonly signal: AbortSignal }) => Promise<ArchiveLogsReport>;
  /** @default 600_000 */
  readonly everyMs?: number;
}

export function startLogKeeper({ clock, logger, isLeading, archive, everyMs = 600_000 }: LogKeeperOptions): LogKeeper {
  const stopping = new AbortController();
  let timer: Timer | undefined;
  let round: Promise<void> = Promise.resolve();

  const keep = async (): Promise<void> => {
    for (let more = isLeading(); more && !stopping.signal.aborted; ) {
      try {
        const report = await archive({ signal: stopping.signal });
        more = report.more;
        if (report.archived > 0) logger.info('Logs of runs were archived', { ...report });
      } catch (error) {
        logger.warn('Logs of runs could not be archived; a later round tries again', { error });
        return;
      }
    }
  };
  const again = (): void => {
    timer = clock.after(
      everyMs,
      () => {
        round = keep().then(() => {
          if (!stopping.signal.aborted) again();
        });
      },
      { background: true },
    );
  };
  again();
  return {
    async stop() {
      stopping.abort();
      timer?.cancel();
      await round;
    },
  };
}
