/**
 * What we need of a Redis client, by shape: no client library is imported. `ioredis` (a connection or a `Cluster`) and
 * `redis` (`createClient` or `createCluster`) both fit as they are.
 */

/** As of `ioredis`. */
export interface IoRedisClient {
  evalsha(sha: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  hdel(key: string, field: string): Promise<unknown>;
  scan(cursor: string, match: 'MATCH', pattern: string, count: 'COUNT', n: number): Promise<unknown>;
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: string, listener: (...values: unknown[]) => void): unknown;
  off(event: string, listener: (...values: unknown[]) => void): unknown;
  duplicate(): IoRedisClient;
  disconnect(): void;
  readonly isCluster?: boolean;
  readonly options?: object;
}

/** As of `redis`, also called node-redis. */
export interface NodeRedisClient {
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  hDel(key: string, field: string): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: string, listener: (...values: unknown[]) => void): unknown;
  off(event: string, listener: (...values: unknown[]) => void): unknown;
  connect(): Promise<unknown>;
  duplicate(): NodeRedisClient;
  destroy(): void;
}

export type RedisClient = IoRedisClient | NodeRedisClient;
