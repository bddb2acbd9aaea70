/** `kannuki backup FILE`: one consistent snapshot of the database of `serve`, which may be in use meanwhile. */
import { writeBackup } from '../../backup/write-backup.ts';
import type { CliContext } from '../cli-context.ts';
import { createLogger } from '../create-logger.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatBytes } from '../format-bytes.ts';
import { openChosenDatabase } from '../open-chosen-database.ts';

export interface BackupOptions {
  readonly store?: string;
  readonly data?: string;
  readonly overwrite?: boolean;
  readonly json?: boolean;
}

export async function backup(
  context: CliContext,
  file: string,
  options: BackupOptions,
  version: string,
): Promise<number> {
  const { messages, say, print } = context;
  const server = await openChosenDatabase(context, options, createLogger('warn'), 'existing');
  try {
    const done = await writeBackup(server.database, {
      file,
      version,
      source: server.engine,
      overwrite: options.overwrite === true,
      onProgress: ({ rows, table }) => context.progress?.(messages.backupProgress(rows, table)),
    });
    context.progress?.(undefined);
    const tables = Object.keys(done.tables).length;
    if (options.json) print(JSON.stringify({ file, ...done }));
    else {
      say(messages.backedUp(done.rows, tables, formatBytes(done.bytes), file));
      say(messages.backupIsSecret);
      const archived = done.tables.job_run_log_refs ?? 0;
      if (archived > 0) say(messages.logsElsewhere(archived));
    }
    return exitCodes.ok;
  } finally {
    context.progress?.(undefined);
    await server.close();
  }
}
