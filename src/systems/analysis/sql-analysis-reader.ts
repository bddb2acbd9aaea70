/** Analyses for people and programs that look at them. Nothing here changes anything. */
import type { SqlDatabase } from '../../core/ports.ts';
import type { AnalysisWithLock } from './analysis.ts';
import { listAnalysesStatement } from './sql/list-analyses-statement.ts';
import { sqlAnalysisRepo } from './sql-analysis-repo.ts';

/** One in a list: without what was analysed and what was found, which may be large. */
export interface AnalysisInfo {
  readonly analysisId: string;
  readonly status: string;
  readonly error: string | null;
  /** Who is at it, or was last. */
  readonly lockOwner: string | null;
  readonly lockToken: number;
  readonly createdAtMs: number;
  readonly finishedAtMs: number | null;
}

export interface AnalysisReader {
  /** By id; `afterId` is the last one of the page before. */
  list(options: {
    readonly status?: string;
    readonly afterId?: string;
    readonly limit: number;
  }): Promise<readonly AnalysisInfo[]>;
  /** Undefined: there is none. */
  find(analysisId: string): Promise<AnalysisWithLock | undefined>;
}

/** The table must be there: `analysisMigrations`. */
export function sqlAnalysisReader({ database }: { readonly database: SqlDatabase }): AnalysisReader {
  const text = listAnalysesStatement(`"${database.schema}"`);
  const repo = sqlAnalysisRepo({ database });
  return {
    async list({ status, afterId, limit }) {
      const values = [status ?? null, afterId ?? null, limit];
      return (await database.query<AnalysisInfo>({ text, values })).rows;
    },
    find: (analysisId) => repo.readAnalysis(analysisId),
  };
}
