/**
 * What jobs need of a Redis client, by shape: no client library is imported. `ioredis` (a connection or a `Cluster`)
 * and `redis` (`createClient` or `createCluster`) both fit as they are. It stays yours: nothing here closes it.
 */
import { JobError } from '../job-error.ts';

/** As of `ioredis`. */
export interface JobsIoRedis {
  evalsha(sha: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
}

/** As of `redis`, also called node-redis. */
export interface JobsNodeRedis {
  evalSha(sha: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

export type JobsRedisClient = JobsIoRedis | JobsNodeRedis;

/** Runs a script. The scripts of jobs are a few words and run once a second: they need no cache. */
export type RunScript = (script: string, keys: readonly string[], values: readonly string[]) => Promise<unknown>;

export function scriptsOf(client: JobsRedisClient): RunScript {
  if ('evalSha' in client) {
    return (script, keys, values) => client.eval(script, { keys: [...keys], arguments: [...values] });
  }
  if ('evalsha' in client) return (script, keys, values) => client.eval(script, keys.length, ...keys, ...values);
  throw new JobError('The Redis client must be one of `ioredis` or `redis`: it has neither evalsha nor evalSha.', {
    code: 'invalid-argument',
  });
}
