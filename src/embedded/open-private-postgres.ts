/** Opens the private PostgreSQL server of a folder; makes its data first when the folder is new. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { LeaseError } from '../core/errors.ts';
import type { Logger, Platform, SqlDatabase } from '../core/ports.ts';
import { postgresDatabase } from '../stores/postgres/index.ts';
import { chooseServer } from './choose-server.ts';
import { type EngineFile, writeEngineFile } from './engine-file.ts';
import { initCluster } from './init-cluster.ts';
import { joinServer, type PrivateServer, passwordPath } from './private-server.ts';
import { serverPaths } from './start-server.ts';

export interface OpenPrivatePostgresOptions {
  readonly dir: string;
  readonly logger: Logger | undefined;
  /** Undefined = a new folder. */
  readonly made: EngineFile | undefined;
  readonly platform: Platform;
  readonly schema: string | undefined;
}

export interface PrivatePostgres {
  readonly database: SqlDatabase;
  readonly major: number;
  readonly server: PrivateServer;
}

/** The caller holds `start.lock`. What fails for a new folder leaves it new. */
export async function openPrivatePostgres(options: OpenPrivatePostgresOptions): Promise<PrivatePostgres> {
  const { dir, logger, made, platform, schema } = options;
  const { clock, random } = platform;
  const dataDir = join(dir, serverPaths.data);
  const choice = await chooseServer(dir, made?.major);
  if (!made) await initCluster({ ...choice, dataDir, passwordFile: passwordPath(dir), password: random.hex(24) });
  try {
    const server = await joinServer({ choice, clock, dir, logger, random });
    const database = postgresDatabase({ connectionString: server.url, ...(schema === undefined ? {} : { schema }) });
    try {
      await database.query({ text: 'select 1' });
    } catch (cause) {
      await database.close();
      await server.leave();
      throw new LeaseError(
        `The PostgreSQL server of ${dir} runs but does not let us in; look at ${dir}/${serverPaths.log}.`,
        {
          code: 'store-refused',
          cause,
        },
      );
    }
    // Also for a folder that was interrupted between its data and this file.
    writeEngineFile(dir, 'postgres');
    return { database, major: choice.binaries.major, server };
  } catch (error) {
    // We made the data a moment ago, and nobody has used it.
    if (!made) rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
}
