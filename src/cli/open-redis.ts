/** Leases on `redis://…`, over whichever client library is installed. Neither is a dependency of ours. */
import { LeaseError } from '../core/errors.ts';
import type { LeaseStore } from '../core/ports.ts';
import type { RedisClient } from '../stores/redis/index.ts';
import { CliError } from './cli-error.ts';
import { exitCodes } from './exit-codes.ts';
import { ifInstalled } from './if-installed.ts';
import type { Messages } from './messages.ts';

export interface OpenedRedis {
  readonly store: LeaseStore;
  /** A section of the server's own report. */
  info(section: string): Promise<string>;
}

interface Connection {
  readonly client: RedisClient;
  info(section: string): Promise<string>;
  end(): void;
}

/** Whoever asks first for a server that is not there wants to hear of it, not to wait for it. */
const connectTimeoutMs = 5_000;

export async function openRedis(url: string, messages: Messages): Promise<OpenedRedis> {
  const connection = (await overIoRedis(url)) ?? (await overNodeRedis(url));
  if (!connection) throw new CliError(messages.needsRedisClient, exitCodes.usage);
  const { redisStore } = await import('../stores/redis/index.ts');
  const store = redisStore({ client: connection.client });
  return {
    store: {
      ...store,
      async close() {
        await store.close();
        connection.end();
      },
    },
    info: connection.info,
  };
}

async function overIoRedis(url: string): Promise<Connection | undefined> {
  const library = await ifInstalled(() => import('ioredis'));
  if (!library) return undefined;
  const client = new library.Redis(url, { lazyConnect: true, connectTimeout: connectTimeoutMs });
  let failure: unknown;
  client.on('error', (error) => {
    failure = error;
  });
  await client.connect().catch((error: unknown) => {
    client.disconnect();
    throw unreachable(url, failure ?? error);
  });
  return { client, info: (section) => client.info(section), end: () => client.disconnect() };
}

async function overNodeRedis(url: string): Promise<Connection | undefined> {
  const library = await ifInstalled(() => import('redis'));
  if (!library) return undefined;
  let connected = false;
  const client = library.createClient({
    url,
    socket: {
      connectTimeout: connectTimeoutMs,
      reconnectStrategy: (retries, cause) => (connected ? Math.min(retries * 50, 1_000) : cause),
    },
  });
  client.on('error', () => {});
  await client.connect().catch((error: unknown) => {
    throw unreachable(url, error);
  });
  connected = true;
  return { client, info: (section) => client.info(section), end: () => client.destroy() };
}

function unreachable(url: string, cause: unknown): LeaseError {
  const { host } = new URL(url);
  const said = cause instanceof Error ? cause.message || cause.name : String(cause);
  if (/^(NOAUTH|WRONGPASS|NOPERM|ERR)\b/.test(said)) {
    return new LeaseError(`Redis at ${host} refused (${said}): check the user, the password and its rights.`, {
      code: 'store-refused',
      cause,
    });
  }
  return new LeaseError(`Redis at ${host} cannot be reached (${said}); check that it runs.`, {
    code: 'store-unavailable',
    retryable: true,
    cause,
  });
}
