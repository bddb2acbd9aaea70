/**
 * The database that `backup` and `restore` work on: --store, else --data, else DATABASE_URL, else the private one.
 * Who names a folder means that folder, also where DATABASE_URL is set: that is how one is moved to the other.
 */
import { resolve } from 'node:path';
import type { Logger } from '../core/ports.ts';
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';
import { dataDirOf, inspectDataDir, openServerDatabase, type ServerDatabase } from './compose.ts';
import { exitCodes } from './exit-codes.ts';
import { describeStore, parseStoreSpec } from './store-spec.ts';

export interface DatabaseOptions {
  readonly store?: string;
  readonly data?: string;
}

/** `existing`: a folder without a database is an error, and is not given one. */
export async function openChosenDatabase(
  context: CliContext,
  { store, data }: DatabaseOptions,
  logger: Logger,
  wanted: 'any' | 'existing',
): Promise<ServerDatabase> {
  const { env, messages } = context;
  const named = store === undefined ? undefined : parseStoreSpec(store, messages);
  if (named && named.kind !== 'postgres')
    throw new CliError(messages.needsDatabase(describeStore(named)), exitCodes.usage);
  const url = store ?? (data === undefined ? env.DATABASE_URL : undefined);
  const dataDir = resolve(dataDirOf(data, env));
  if (!url && wanted === 'existing' && (await inspectDataDir(dataDir)) === undefined) {
    throw new CliError(messages.noDatabaseIn(dataDir), exitCodes.notFound);
  }
  const server = await openServerDatabase({ ...context, env: { ...env, DATABASE_URL: url } }, dataDir, logger);
  return named ? { ...server, engine: describeStore(named) } : server;
}
