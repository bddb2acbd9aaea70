/** `kannuki restore FILE`: a backup into the database of `serve`; embedded or not, of any version from PostgreSQL 15. */
import { checkBackup } from '../../backup/check-backup.ts';
import { restoreBackup } from '../../backup/restore-backup.ts';
import type { CliContext } from '../cli-context.ts';
import { createLogger } from '../create-logger.ts';
import { exitCodes } from '../exit-codes.ts';
import { openChosenDatabase } from '../open-chosen-database.ts';

export interface RestoreOptions {
  readonly store?: string;
  readonly data?: string;
  readonly replace?: boolean;
  /** Look at the file only. */
  readonly check?: boolean;
  readonly json?: boolean;
}

export async function restore(context: CliContext, file: string, options: RestoreOptions): Promise<number> {
  const { messages, say, print } = context;
  // Before a database is made for it.
  const checked = await checkBackup(file);
  const tables = Object.keys(checked.tables).length;
  if (options.check) {
    const { takenAt, source } = checked.header;
    if (options.json) print(JSON.stringify({ file, ...checked }));
    else say(messages.backupIsGood(checked.rows, tables, takenAt, source));
    return exitCodes.ok;
  }
  const server = await openChosenDatabase(context, options, createLogger('warn'), 'any');
  try {
    const done = await restoreBackup(server.database, {
      file,
      migrations: server.migrations,
      replace: options.replace === true,
      onProgress: ({ rows, table }) => context.progress?.(messages.restoreProgress(rows, table)),
    });
    context.progress?.(undefined);
    if (options.json) print(JSON.stringify({ file, ...done }));
    else {
      say(messages.restored(done.rows, tables, server.engine));
      say(messages.restoredFloor(done.floorToken));
      const archived = done.tables.job_run_log_refs ?? 0;
      if (archived > 0) say(messages.logsElsewhere(archived));
    }
    return exitCodes.ok;
  } finally {
    context.progress?.(undefined);
    await server.close();
  }
}
