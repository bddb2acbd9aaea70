import { keyNames } from '../../src/stores/redis/key-names.ts';
import { redisStore } from '../../src/stores/redis/redis-store.ts';
import { openRedisClient, type RedisLibrary, redisLibraryVersion } from '../servers/redis-clients.ts';
import { startRedis } from '../servers/redis-server.ts';
import { runConformance, type Skipped, type StoreUnderTest } from './run-conformance.ts';

runConformance('Redis store over ioredis', () => startRedisStore('ioredis', false));
runConformance('Redis store over redis', () => startRedisStore('redis', false));
runConformance('Redis store over an ioredis cluster', () => startRedisStore('ioredis', true));
runConformance('Redis store over a redis cluster', () => startRedisStore('redis', true));

async function startRedisStore(library: RedisLibrary, cluster: boolean): Promise<StoreUnderTest | Skipped> {
  const kind = cluster ? 'Redis cluster' : 'Redis';
  try {
    const clientVersion = redisLibraryVersion(library);
    const server = await startRedis({ appendonly: true, cluster });
    const admin = await openRedisClient(library, server.port, { cluster });
    const names = keyNames('kannuki');
    return {
      component: `${kind} ${server.version} over ${library} ${clientVersion}`,
      async openStore() {
        const { client, close } = await openRedisClient(library, server.port, { cluster });
        const store = redisStore({ client });
        let closed = false;
        return {
          ...store,
          async close() {
            await store.close();
            if (!closed) close();
            closed = true;
          },
        };
      },
      restart: () => server.restart(),
      async forget(key) {
        const script = `return redis.call('DEL', KEYS[1])`;
        const { client } = admin;
        if ('evalSha' in client) await client.eval(script, { keys: [names.lease(key)], arguments: [] });
        else await client.eval(script, 1, names.lease(key));
      },
      async close() {
        admin.close();
        await server.stop();
      },
    };
  } catch (error) {
    return whyNoServer(`${kind} over ${library}`, error);
  }
}

/** What is not installed is a skip; what fails to start is a failure. */
function whyNoServer(component: string, error: unknown): Skipped {
  const reason = error instanceof Error ? error.message : String(error);
  if (!reason.includes('is not installed')) throw error;
  // Root can install a package; so can anybody who may run `npm ci`.
  return { component, reason, avoidable: reason.includes('npm') || process.getuid?.() === 0 };
}
