/**
 * A database with nothing to configure: a private PostgreSQL server in a folder, shared by all processes that open
 * the folder, or PGlite where no server can be started. A folder stays with the engine it was made with.
 */
import { resolve } from 'node:path';
import { platform as ambientPlatform } from '#platform';
import { LeaseError } from '../core/errors.ts';
import type { Logger, Platform, SqlDatabase, SqlExecutor } from '../core/ports.ts';
import { type EmbeddedEngine, type EngineFile, readEngineFile } from './engine-file.ts';
import { openPrivatePglite } from './open-private-pglite.ts';
import { openPrivatePostgres } from './open-private-postgres.ts';
import { lockForStart } from './private-server.ts';

export interface EmbeddedOptions {
  /** Folder of the data; made if need be. On a local disk. @default '.kannuki' */
  readonly dir?: string;
  /** Schema of every Kannuki table. @default 'kannuki' */
  readonly schema?: string;
  /** Insist on one engine. @default what the folder was made with; for a new one PostgreSQL, else PGlite */
  readonly engine?: EmbeddedEngine;
  /** Told about fallbacks and restarts of the server. @default nobody */
  readonly logger?: Logger;
  /** @default the real clock and chance */
  readonly platform?: Platform;
}

export interface EmbeddedDatabase extends SqlDatabase {
  readonly dir: string;
  readonly engine: EmbeddedEngine;
  /** Of PostgreSQL, also in PGlite. */
  readonly major: number;
  /** Why it is PGlite although nobody asked for it. */
  readonly fallbackReason?: string;
  /** Statements that must not wait for the pool. Absent with PGlite, which has one connection. */
  readonly renewals?: SqlExecutor;
  /** Where the server listens, with its password. Absent with PGlite. */
  readonly url?: string;
  /** Of the server that runs now. Absent with PGlite. */
  readonly serverPid?: number;
  /** Closes the connections and gives the folder up; the last process to do so stops the server. */
  close(): Promise<void>;
}

export async function openEmbedded(options: EmbeddedOptions = {}): Promise<EmbeddedDatabase> {
  const dir = resolve(options.dir ?? '.kannuki');
  const start = await lockForStart(dir);
  try {
    const made = readEngineFile(dir);
    refuseOtherEngine(dir, made, options.engine);
    const engine = made?.engine ?? options.engine;
    if (engine === 'pglite') return await openPglite(dir, options, undefined);
    try {
      return await openPostgres(dir, options, made);
    } catch (error) {
      // Only a new folder may begin with another engine, and only if nobody insisted.
      if (engine === 'postgres' || !(error instanceof LeaseError) || error.code === 'in-use') throw error;
      options.logger?.warn('no PostgreSQL server can be started here; using PGlite', { dir, reason: error.message });
      return await openPglite(dir, options, error);
    }
  } finally {
    await start.release();
  }
}

async function openPostgres(
  dir: string,
  { logger, platform = ambientPlatform, schema }: EmbeddedOptions,
  made: EngineFile | undefined,
): Promise<EmbeddedDatabase> {
  const { database, major, server } = await openPrivatePostgres({ dir, logger, made, platform, schema });
  return {
    ...database,
    close: once(async () => {
      try {
        await database.close();
      } finally {
        await server.leave();
      }
    }),
    dir,
    engine: 'postgres',
    major,
    get serverPid() {
      return server.pid;
    },
    url: server.url,
  };
}

async function openPglite(
  dir: string,
  { schema }: EmbeddedOptions,
  reason: LeaseError | undefined,
): Promise<EmbeddedDatabase> {
  const { database, major } = await openPrivatePglite({ dir, reason, schema });
  return {
    ...database,
    close: once(() => database.close()),
    dir,
    engine: 'pglite',
    major,
    ...(reason ? { fallbackReason: reason.message } : {}),
  };
}

function refuseOtherEngine(dir: string, made: EngineFile | undefined, wanted: EmbeddedEngine | undefined): void {
  if (made === undefined || wanted === undefined || made.engine === wanted) return;
  throw new LeaseError(
    `The data folder ${dir} was made with ${made.engine} and cannot be opened with ${wanted}; open it as it is and run "kannuki backup FILE", then "kannuki restore FILE" into a new folder.`,
    { code: 'store-refused' },
  );
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}
