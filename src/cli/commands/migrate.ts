/** `kannuki migrate`: brings the tables up to what this version needs, before the programs that use them start. */
import type { LeaseStore } from '../../core/ports.ts';
import { type MigrationReport, migrate } from '../../engine/migrate.ts';
import type { CliContext } from '../cli-context.ts';
import { dataDirOf, openServerDatabase, openStore } from '../compose.ts';
import { createLogger } from '../create-logger.ts';
import { exitCodes } from '../exit-codes.ts';
import { describeStore, parseStoreSpec } from '../store-spec.ts';

export interface MigrateOptions {
  readonly store?: string;
  readonly data?: string;
  readonly json?: boolean;
}

/** Without `--store` it is the database of `serve`: DATABASE_URL, else the private one in the data folder. */
export async function runMigrate(context: CliContext, options: MigrateOptions): Promise<number> {
  const { messages, env } = context;
  const dataDir = dataDirOf(options.data, env);
  const named = options.store ?? env.KANNUKI_STORE;
  if (!named) {
    const server = await openServerDatabase(context, dataDir, createLogger('warn'));
    try {
      return await report(context, options, server, server.engine);
    } finally {
      await server.close();
    }
  }
  const spec = parseStoreSpec(named, messages);
  const store = await openStore(spec, context, dataDir);
  try {
    return await report(context, options, store.schema, describeStore(spec));
  } finally {
    await store.close();
  }
}

async function report(
  { messages, print, say }: CliContext,
  { json }: MigrateOptions,
  schema: LeaseStore['schema'],
  where: string,
): Promise<number> {
  const done: MigrationReport = schema ? await migrate(schema.database, schema.migrations) : { applied: [] };
  if (json) print(JSON.stringify(done));
  else if (!schema) say(messages.noTables(where));
  else if (done.applied.length === 0) say(messages.nothingToMigrate);
  else {
    for (const { system, number, name } of done.applied) print(`${system} ${number} ${name}`);
    say(messages.migrated(done.applied.length));
  }
  return exitCodes.ok;
}
