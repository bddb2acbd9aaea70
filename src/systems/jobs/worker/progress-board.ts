/** The last word of each run on how far it is; written with the heartbeats, not with every call. */
import type { JobsContext } from '../jobs-context.ts';

export interface ProgressBoard {
  note(runId: number, fraction: number): void;
  drop(runId: number): void;
  flush(): Promise<void>;
}

export function createProgressBoard(context: JobsContext, workerId: () => number): ProgressBoard {
  const { database, statements, logger } = context;
  const noted = new Map<number, number>();
  return {
    note(runId, fraction) {
      if (Number.isFinite(fraction)) noted.set(runId, Math.min(1, Math.max(0, fraction)));
    },
    drop(runId) {
      noted.delete(runId);
    },
    async flush() {
      if (noted.size === 0) return;
      const lines = [...noted].map(([id, progress]) => ({ id, progress }));
      noted.clear();
      try {
        await database.query(statements.setProgress(workerId(), JSON.stringify(lines)));
      } catch (error) {
        logger.debug('The progress of runs could not be stored', { error });
      }
    },
  };
}
