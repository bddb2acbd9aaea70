/** Analyses in a PostgreSQL dialect database, table `analyses`. A lock changes under the row's own lock. */

import type { Logger, SqlDatabase, SqlExecutor } from '../../core/ports.ts';
import { isoTime } from '../../platform/iso-time.ts';
import type { AnalysisWithLock } from './analysis.ts';
import { AnalysisError, analysisNotFound } from './analysis-error.ts';
import type { AnalysisLock } from './analysis-lock.ts';
import type { AnalysisEvent, AnalysisRepo } from './analysis-repo.ts';
import { checkId, type LockedAnalysis, lockTable } from './lock-table.ts';
import { createAnalysisStatement } from './sql/create-analysis-statement.ts';
import { finishAnalysisStatement } from './sql/finish-analysis-statement.ts';
import { readAnalysisStatement } from './sql/read-analysis-statement.ts';
import { readLockStatement } from './sql/read-lock-statement.ts';
import { writeLockStatement } from './sql/write-lock-statement.ts';

export interface SqlAnalysisRepoOptions {
  /** With the tables of `analysisMigrations`. It stays yours. */
  readonly database: SqlDatabase;
  readonly onEvent?: (event: AnalysisEvent) => void;
  /** @default silent */
  readonly logger?: Logger;
}

interface LockRow {
  readonly status: string;
  readonly owner: string | null;
  readonly token: number;
  readonly endUs: number | null;
  readonly heartbeatUs: number | null;
  readonly nowUs: number;
}

interface AnalysisRow {
  readonly status: string;
  readonly input: unknown;
  readonly result: unknown;
  readonly error: string | null;
  readonly resultToken: number | null;
  readonly lockOwner: string | null;
  readonly lockToken: number;
  readonly expiresMs: number | null;
  readonly heartbeatMs: number | null;
}

export function sqlAnalysisRepo(options: SqlAnalysisRepoOptions): AnalysisRepo {
  const { database, onEvent, logger } = options;
  const schema = `"${database.schema}"`;
  const statements = {
    create: createAnalysisStatement(schema),
    finish: finishAnalysisStatement(schema),
    read: readAnalysisStatement(schema),
    readLock: readLockStatement(schema, false),
    readLockForUpdate: readLockStatement(schema, true),
    writeLock: writeLockStatement(schema),
  };

  const readLock = async (on: SqlExecutor, text: string, analysisId: string): Promise<LockedAnalysis | undefined> => {
    const { rows } = await on.query<LockRow>({ text, values: [analysisId] });
    const [row] = rows;
    return row && { status: row.status, lock: lockOf(row), nowUs: row.nowUs };
  };
  const readAnalysis = async (analysisId: string): Promise<AnalysisWithLock | undefined> => {
    const { rows } = await database.query<AnalysisRow>({ text: statements.read, values: [analysisId] });
    return rows[0] && analysisOf(analysisId, rows[0]);
  };

  return {
    name: 'sql',
    ...lockTable({
      name: 'sql',
      onEvent,
      logger,
      read: (analysisId) => readLock(database, statements.readLock, analysisId),
      change: (analysisId, change) =>
        database.transaction(async (tx) => {
          const lock = change(await readLock(tx, statements.readLockForUpdate, analysisId));
          if (lock) await tx.query({ text: statements.writeLock, values: lockValues(analysisId, lock) });
        }),
    }),

    async createAnalysis(analysisId, input = null) {
      checkId(analysisId);
      const { rowCount } = await database.query({
        text: statements.create,
        values: [analysisId, JSON.stringify(input)],
      });
      if (rowCount > 0) return;
      throw new AnalysisError(`There is an analysis "${analysisId}" already.`, { code: 'already-exists', analysisId });
    },

    async readAnalysis(analysisId) {
      checkId(analysisId);
      return readAnalysis(analysisId);
    },

    async finishAnalysis({ analysisId, lockOwner, token, status, result, error }) {
      checkId(analysisId);
      const { rowCount } = await database.query({
        text: statements.finish,
        values: [analysisId, lockOwner, token, status, JSON.stringify(result ?? null), error ?? null],
      });
      if (rowCount > 0) return true;
      const analysis = await readAnalysis(analysisId);
      if (!analysis) throw analysisNotFound(analysisId);
      // A repetition: the first one took effect, and only its answer was lost.
      return analysis.resultToken === token;
    },
  };
}

function lockOf({ owner, endUs, heartbeatUs, token }: LockRow): AnalysisLock {
  return {
    owner: owner ?? undefined,
    endUs: endUs ?? undefined,
    heartbeatUs: heartbeatUs ?? undefined,
    token,
  };
}

/** Times are kept in whole ms, rounded up: a lock may end a little later than was said, never sooner. */
function lockValues(analysisId: string, { owner, endUs, heartbeatUs, token }: AnalysisLock): readonly unknown[] {
  const ms = (us: number | undefined): number | null => (us === undefined ? null : Math.ceil(us / 1000));
  return [analysisId, owner ?? null, ms(endUs), ms(heartbeatUs), token];
}

function analysisOf(analysisId: string, row: AnalysisRow): AnalysisWithLock {
  const { status, input, result, error, resultToken, lockOwner, lockToken, expiresMs, heartbeatMs } = row;
  return {
    analysisId,
    status,
    input,
    lockToken,
    ...(resultToken !== null && { result, resultToken }),
    ...(error !== null && { error }),
    ...(lockOwner !== null && { lockOwner }),
    ...(expiresMs !== null && { lockExpiresAt: isoTime(expiresMs) }),
    ...(heartbeatMs !== null && { lockHeartbeatAt: isoTime(heartbeatMs) }),
  };
}
