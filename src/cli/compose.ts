/** The one place where stores meet the rest. Each is loaded only when it is used, so that `exec` starts quickly. */
import type { LeaseStore, Logger, MigrationSet, SqlDatabase } from '../core/ports.ts';
import type { EmbeddedDatabase } from '../embedded/index.ts';
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';
import { readCliToken } from './cli-token.ts';
import { exitCodes } from './exit-codes.ts';
import { isLoopback } from './is-loopback.ts';
import { listServerMigrations } from './list-server-migrations.ts';
import type { StoreSpec } from './store-spec.ts';

/** `--data`, else KANNUKI_DATA, else `.kannuki`. */
export function dataDirOf(data: string | undefined, env: CliContext['env']): string {
  return data ?? (env.KANNUKI_DATA || '.kannuki');
}

export async function openStore(spec: StoreSpec, context: CliContext, dataDir: string): Promise<LeaseStore> {
  switch (spec.kind) {
    case 'file': {
      const { fileStore } = await import('../stores/file/index.ts');
      // `exec` holds the lease for another process: that one may outlive us, so only the TTL frees it.
      return fileStore({ dir: spec.dir, releaseOnCrash: false });
    }
    case 'firestore': {
      const { openFirestoreStore } = await import('../stores/firestore/index.ts');
      return openFirestoreStore({ projectId: spec.projectId, collection: spec.collection });
    }
    case 'postgres': {
      const { postgresStore } = await import('../stores/postgres/index.ts');
      return postgresStore({ connectionString: spec.url, max: 2 });
    }
    case 'http': {
      const { openHttpStore } = await import('../stores/http/index.ts');
      return openHttpStore({ url: spec.url, token: tokenFor(spec.url, context, dataDir) });
    }
    case 'redis': {
      const { openRedis } = await import('./open-redis.ts');
      return (await openRedis(spec.url, context.messages)).store;
    }
    case 'memory': {
      const { memoryStore } = await import('../stores/memory/index.ts');
      return memoryStore();
    }
  }
}

export interface ServerDatabase {
  readonly database: SqlDatabase;
  readonly store: LeaseStore;
  /** What the tables of `serve` need: leases and jobs. */
  readonly migrations: readonly MigrationSet[];
  /** For people: which database this is. */
  readonly engine: string;
  close(): Promise<void>;
}

/** The database of `serve` and `migrate`: the one DATABASE_URL names, else the private one in the data folder. */
export async function openServerDatabase(
  context: CliContext,
  dataDir: string,
  logger: Logger,
): Promise<ServerDatabase> {
  const url = context.env.DATABASE_URL;
  if (url) {
    const { postgresDatabase, postgresStore } = await import('../stores/postgres/index.ts');
    const database = postgresDatabase({ connectionString: url });
    return await composed(database, postgresStore({ database }), 'PostgreSQL at DATABASE_URL');
  }
  const { openEmbedded } = await import('../embedded/index.ts');
  const database = await openEmbedded({ dir: dataDir, logger });
  return await composed(database, await embeddedStore(database), `${engineName(database)} in ${database.dir}`);
}

/** What a data folder was made with; undefined = it holds no database yet. */
export async function inspectDataDir(dataDir: string): Promise<{ engine: string; major: number } | undefined> {
  const { readEngineFile } = await import('../embedded/engine-file.ts');
  return readEngineFile(dataDir);
}

async function embeddedStore(database: EmbeddedDatabase): Promise<LeaseStore> {
  if (database.engine === 'postgres') {
    const { postgresStore } = await import('../stores/postgres/index.ts');
    return postgresStore({ database });
  }
  const { pgliteStore } = await import('../stores/pglite/index.ts');
  return pgliteStore({ database });
}

function engineName({ engine, major }: EmbeddedDatabase): string {
  return engine === 'postgres' ? `private PostgreSQL ${major}` : `PGlite (PostgreSQL ${major})`;
}

async function composed(database: SqlDatabase, store: LeaseStore, engine: string): Promise<ServerDatabase> {
  return {
    database,
    store,
    migrations: await listServerMigrations(store.schema?.migrations ?? []),
    engine,
    async close() {
      await store.close();
      await database.close();
    },
  };
}

/** KANNUKI_API_TOKEN, else for this machine what `serve` has left in its folder. */
export function tokenFor(url: string, { env, messages }: CliContext, dataDir: string): string {
  if (env.KANNUKI_API_TOKEN) return env.KANNUKI_API_TOKEN;
  const local = isLoopback(new URL(url).hostname) ? readCliToken(dataDir) : undefined;
  if (local !== undefined) return local;
  throw new CliError(messages.needsToken(url), exitCodes.usage);
}
