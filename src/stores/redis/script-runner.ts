/** Runs scripts by their hash; a server that does not know one gets its text once. */
import { createHash } from 'node:crypto';
import type { CommandWatch } from './command-watch.ts';
import { explainRedisError, missesScript } from './redis-errors.ts';
import type { RedisPort } from './redis-port.ts';

export type RunScript = (script: Script, keys: readonly string[], values: readonly string[]) => Promise<unknown>;

export interface Script {
  readonly text: string;
  readonly sha: string;
}

export function hashScript(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

export function scriptRunner(port: RedisPort, watch: CommandWatch): RunScript {
  return async ({ text, sha }, keys, values) => {
    try {
      return await watch.wait(port.evalSha(sha, keys, values));
    } catch (error) {
      // Refused before anything ran, so sending it again is the first time.
      if (!missesScript(error)) throw explainRedisError(error);
    }
    try {
      return await watch.wait(port.eval(text, keys, values));
    } catch (error) {
      throw explainRedisError(error);
    }
  };
}
