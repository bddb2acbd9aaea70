/** Reads that people asked for and that may be long: the server ends them, and the rest goes on undisturbed. */
import { LeaseError } from '../../../core/errors.ts';
import type { SqlDatabase, SqlStatement } from '../../../core/ports.ts';
import { JobError } from '../job-error.ts';

export const searchMsMax = 5_000;

/** The rows, or `search-too-slow` when the server ended the statement. PGlite has no clock to end one by. */
export async function boundedRead<Row>(
  database: SqlDatabase,
  statement: SqlStatement,
  msMax: number = searchMsMax,
): Promise<readonly Row[]> {
  try {
    return await database.transaction(async (tx) => {
      await tx.query({ text: `set local statement_timeout = ${Math.floor(msMax)}` });
      return (await tx.query<Row>(statement)).rows;
    });
  } catch (error) {
    if (!wasEnded(error)) throw error;
    throw new JobError(`The search took longer than ${msMax / 1000} s and was ended; narrow its time range.`, {
      code: 'search-too-slow',
      cause: error,
    });
  }
}

/** query_canceled, however deep the driver put it. */
function wasEnded(error: unknown): boolean {
  const cause = error instanceof LeaseError ? error.cause : error;
  return cause instanceof Error && 'code' in cause && cause.code === '57014';
}
