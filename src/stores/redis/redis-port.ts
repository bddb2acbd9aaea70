/** One way to speak to both client libraries. */
import { LeaseError } from '../../core/errors.ts';
import type { IoRedisClient, NodeRedisClient, RedisClient } from './redis-client.ts';

export interface RedisPort {
  /** Keys live on several servers, by slot. */
  readonly cluster: boolean;
  /** `words`: first the keys, then the arguments. */
  evalSha(sha: string, keyCount: number, words: readonly string[]): Promise<unknown>;
  eval(script: string, keyCount: number, words: readonly string[]): Promise<unknown>;
  /** 1, or 0: the hash has no such field. */
  hashDelete(key: string, field: string): Promise<unknown>;
  /** One scanner for each server that has keys of its own. */
  scanners(): Promise<readonly Scan[]>;
  /** A connection for subscriptions; `own`: it was made for us, so we may end it. */
  openSubscriber(own: boolean, onLost: () => void): Subscriber;
}

export type Scan = (cursor: string, pattern: string, count: number) => Promise<{ cursor: string; names: string[] }>;

export interface Subscriber {
  subscribe(channel: string, onMessage: (message: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  /** Listens no more, and ends the connection if it is ours. */
  end(): void;
}

export function redisPort(client: RedisClient): RedisPort {
  if ('evalSha' in client) return nodeRedisPort(client);
  if ('evalsha' in client) return ioRedisPort(client);
  throw new LeaseError('The Redis client must be one of `ioredis` or `redis`: it has neither evalsha nor evalSha.', {
    code: 'invalid-argument',
  });
}

function ioRedisPort(client: IoRedisClient): RedisPort {
  const { options } = client;
  if (options && 'keyPrefix' in options && options.keyPrefix) {
    throw new LeaseError(
      'The ioredis option keyPrefix would rename our keys but not our channels: use a client without it, and the option prefix.',
      { code: 'invalid-argument' },
    );
  }
  const scanOn =
    (node: IoRedisClient): Scan =>
    async (cursor, pattern, count) => {
      const [next, names] = (await node.scan(cursor, 'MATCH', pattern, 'COUNT', count)) as [string, string[]];
      return { cursor: next, names };
    };
  return {
    cluster: client.isCluster === true,
    evalSha: (sha, keyCount, words) => client.evalsha(sha, keyCount, ...words),
    eval: (script, keyCount, words) => client.eval(script, keyCount, ...words),
    hashDelete: (key, field) => client.hdel(key, field),
    async scanners() {
      if (!client.isCluster) return [scanOn(client)];
      const { nodes } = client as unknown as { nodes(role: 'master'): readonly IoRedisClient[] };
      return nodes.call(client, 'master').map(scanOn);
    },
    openSubscriber(own, onLost) {
      const connection = own ? client.duplicate() : client;
      const hearers = new Map<string, (message: string) => void>();
      const hear = (channel: unknown, message: unknown): void => hearers.get(String(channel))?.(String(message));
      const quiet = (): void => {};
      connection.on('message', hear);
      connection.on('close', onLost);
      // A failure also closes the connection, and that is what we act upon.
      if (own) connection.on('error', quiet);
      return {
        subscribe(channel, onMessage) {
          hearers.set(channel, onMessage);
          return connection.subscribe(channel);
        },
        unsubscribe(channel) {
          hearers.delete(channel);
          return connection.unsubscribe(channel);
        },
        end() {
          connection.off('message', hear);
          connection.off('close', onLost);
          if (own) connection.disconnect();
        },
      };
    },
  };
}

/** What `createCluster` has besides. */
interface NodeRedisCluster {
  readonly masters: readonly unknown[];
  nodeClient(node: unknown): Promise<ScanningNode>;
}

interface ScanningNode {
  scan(cursor: string, options: { MATCH: string; COUNT: number }): Promise<{ cursor: string; keys: string[] }>;
}

function nodeRedisPort(client: NodeRedisClient): RedisPort {
  const cluster = 'masters' in client && 'nodeClient' in client;
  const scanOn =
    (node: ScanningNode): Scan =>
    async (cursor, pattern, count) => {
      const page = await node.scan(cursor, { MATCH: pattern, COUNT: count });
      return { cursor: String(page.cursor), names: page.keys };
    };
  return {
    cluster,
    evalSha: (sha, keyCount, words) =>
      client.evalSha(sha, { keys: words.slice(0, keyCount), arguments: words.slice(keyCount) }),
    eval: (script, keyCount, words) =>
      client.eval(script, { keys: words.slice(0, keyCount), arguments: words.slice(keyCount) }),
    hashDelete: (key, field) => client.hDel(key, field),
    async scanners() {
      if (!cluster) return [scanOn(client as unknown as ScanningNode)];
      const nodes = client as unknown as NodeRedisCluster;
      return Promise.all(nodes.masters.map(async (node) => scanOn(await nodes.nodeClient(node))));
    },
    openSubscriber(own, onLost) {
      const connection = own ? client.duplicate() : client;
      const signs = ['error', 'reconnecting', 'end'] as const;
      for (const sign of signs) connection.on(sign, onLost);
      const connected = own ? connection.connect() : Promise.resolve();
      // Whoever subscribes hears of it; nobody may have asked yet.
      connected.catch(() => {});
      return {
        subscribe: (channel, onMessage) => connected.then(() => connection.subscribe(channel, onMessage)),
        unsubscribe: (channel) => connected.then(() => connection.unsubscribe(channel)),
        end() {
          // Without a listener an error of this library ends the process, so that one stays on a connection of ours.
          for (const sign of signs) if (!own || sign !== 'error') connection.off(sign, onLost);
          if (!own) return;
          try {
            connection.destroy();
          } catch {
            // It was not open any more.
          }
        },
      };
    },
  };
}
