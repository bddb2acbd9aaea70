import { createRequire } from 'node:module';
import type { RedisClient } from '../../src/stores/redis/redis-client.ts';

export type RedisLibrary = 'ioredis' | 'redis';

export interface OpenedClient {
  readonly client: RedisClient;
  close(): void;
}

interface IoRedis {
  readonly Redis: new (port: number, host: string) => Opened;
  readonly Cluster: new (nodes: readonly { readonly host: string; readonly port: number }[]) => Opened;
}

interface NodeRedis {
  createClient(options: { readonly url: string }): Opened;
  createCluster(options: { readonly rootNodes: readonly { readonly url: string }[] }): Opened;
}

/** What either library's client has; each has one of the two ways to end. */
type Opened = RedisClient & { connect(): Promise<unknown>; disconnect?(): void; destroy?(): void };

const load = createRequire(import.meta.url);

/** A client of a server on this machine. Throws an error with "is not installed" where the library is missing. */
export async function openRedisClient(
  library: RedisLibrary,
  port: number,
  options: { readonly cluster?: boolean } = {},
): Promise<OpenedClient> {
  const client =
    library === 'ioredis' ? openIoRedis(port, options.cluster) : await openNodeRedis(port, options.cluster);
  return {
    client,
    close() {
      if (library === 'ioredis') client.disconnect?.();
      else client.destroy?.();
    },
  };
}

export function redisLibraryVersion(library: RedisLibrary): string {
  const { version } = loadInstalled(() => load(`${library}/package.json`) as { readonly version: string }, library);
  return version;
}

function openIoRedis(port: number, cluster = false): Opened {
  const { Redis, Cluster } = loadInstalled(() => load('ioredis') as IoRedis, 'ioredis');
  const client = cluster ? new Cluster([{ host: '127.0.0.1', port }]) : new Redis(port, '127.0.0.1');
  // Tests stop and restart the server; each failed command says so itself.
  client.on('error', () => {});
  return client;
}

async function openNodeRedis(port: number, cluster = false): Promise<Opened> {
  const { createClient, createCluster } = loadInstalled(() => load('redis') as NodeRedis, 'redis');
  const url = `redis://127.0.0.1:${port}`;
  const client = cluster ? createCluster({ rootNodes: [{ url }] }) : createClient({ url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

function loadInstalled<T>(loadLibrary: () => T, library: RedisLibrary): T {
  try {
    return loadLibrary();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw cause;
    throw new Error(`The npm package ${library} is not installed; run "npm ci"`, { cause });
  }
}
