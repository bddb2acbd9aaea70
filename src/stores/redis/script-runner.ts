/** Runs scripts by their hash; a server that does not know one gets its text once. */
import { createHash } from 'node:crypto';
import type { CommandWatch } from './command-watch.ts';
import { failedCommand, missesScript } from './redis-errors.ts';
import type { RedisPort } from './redis-port.ts';

/** `words` are first the keys, then the arguments; `read` makes an answer of the server's reply. */
export type RunScript = <T>(
  script: Script,
  keyCount: number,
  words: readonly string[],
  read: (reply: unknown) => T,
) => Promise<T>;

export interface Script {
  readonly text: string;
  readonly sha: string;
}

export function hashScript(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

export function scriptRunner(port: RedisPort, watch: CommandWatch): RunScript {
  return ({ text, sha }, keyCount, words, read) =>
    watch.wait(port.evalSha(sha, keyCount, words), read, (error) =>
      // Refused before anything ran, so sending it again is the first time.
      missesScript(error) ? watch.wait(port.eval(text, keyCount, words), read, failedCommand) : failedCommand(error),
    );
}
