/** Opens PGlite in a folder: one process at a time, and nothing is forced to disk, so a power loss may cost rows. */
import { join } from 'node:path';
import { LeaseError } from '../core/errors.ts';
import type { SqlDatabase } from '../core/ports.ts';
import { writeEngineFile } from './engine-file.ts';

export interface OpenPrivatePgliteOptions {
  readonly dir: string;
  /** Why no server could be started, for the case that PGlite does not open either. */
  readonly reason: LeaseError | undefined;
  readonly schema: string | undefined;
}

export async function openPrivatePglite(
  options: OpenPrivatePgliteOptions,
): Promise<{ readonly database: SqlDatabase; readonly major: number }> {
  const { dir, reason, schema } = options;
  let database: SqlDatabase;
  try {
    // Loaded only where it is used: most folders have a server.
    const { pgliteDatabase } = await import('../stores/pglite/index.ts');
    database = await pgliteDatabase({
      dir: join(dir, 'pglite'),
      ...(schema === undefined ? {} : { schema }),
    });
    // Its data exists after the first statement; only then the folder is bound to it.
    await database.query({ text: 'select 1' });
  } catch (cause) {
    if (!reason || !(cause instanceof LeaseError)) throw cause;
    throw new LeaseError(`${reason.message} PGlite could not take its place: ${cause.message}`, {
      code: cause.code,
      cause: new AggregateError([reason, cause]),
    });
  }
  return { database, major: writeEngineFile(dir, 'pglite').major };
}
