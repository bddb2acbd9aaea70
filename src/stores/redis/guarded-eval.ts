/**
 * A write that only the newest holder can make: the fence is compared in the same script as your commands, and scripts
 * do not interleave.
 *
 *   await lease.claim('orders/7');                                  -- first: raise the fence, then read
 *   const state = await client.get('{orders/7}:state');
 *   const reply = await guardedEval({
 *     client, lease, resource: 'orders/7',
 *     script: `return redis.call('SET', KEYS[1], ARGV[1])`, keys: ['{orders/7}:state'], args: ['paid'],
 *   });
 *   if (!reply.ran) …                                               -- refused: somebody newer claimed it, or nobody
 *
 * Not having claimed is refused too: without it an older holder's write could land between our read and our write.
 * In a cluster the keys must lie in the slot of the fence: put the resource's name into braces, as above.
 */
import { platform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { Clock } from '../../core/ports.ts';
import { commandWatch } from './command-watch.ts';
import { keyNames } from './key-names.ts';
import type { RedisClient } from './redis-client.ts';
import { explainRedisError } from './redis-errors.ts';
import { redisPort } from './redis-port.ts';
import { hashScript, scriptRunner } from './script-runner.ts';

/** What a fence needs to know of a lease. */
export interface HeldLease {
  readonly token: number;
  isHeld(): boolean;
}

export interface GuardedEvalOptions {
  /** Of the same database as the store's. */
  readonly client: RedisClient;
  /** The lease that protects the resource; its holder has claimed the resource. */
  readonly lease: HeldLease;
  /** The name given to `claim`. */
  readonly resource: string;
  /** Lua, as for EVAL: `KEYS` and `ARGV` are yours. */
  readonly script: string;
  /** @default [] */
  readonly keys?: readonly string[];
  /** @default [] */
  readonly args?: readonly string[];
  /** As given to `redisStore`. @default 'kannuki' */
  readonly prefix?: string;
  /** An unanswered command fails after this; it may still be executed later. @default 5000 */
  readonly commandTimeoutMs?: number;
  /** How long the fence is remembered from now, as given to `redisStore`. @default 86400000, one day */
  readonly idleMs?: number;
  /** @default the platform's clock */
  readonly clock?: Pick<Clock, 'after' | 'monotonicMs'>;
}

/** `token`: where the fence stands; 0 = nobody has claimed the resource. */
export type GuardedReply =
  | { readonly ran: true; readonly value: unknown }
  | { readonly ran: false; readonly token: number };

/** Runs your script if this lease is the newest that has claimed the resource. Throws `lost` when it is not held. */
export async function guardedEval(options: GuardedEvalOptions): Promise<GuardedReply> {
  const { client, lease, resource, script, keys = [], args = [], prefix = 'kannuki' } = options;
  const { commandTimeoutMs = 5_000, idleMs = limits.ttlMsMax, clock = platform.clock } = options;
  if (!lease.isHeld()) {
    throw new LeaseError(
      `The lease for "${resource}" (token ${lease.token}) is no longer held; acquire it anew before writing.`,
      { code: 'lost' },
    );
  }
  const run = scriptRunner(redisPort(client), commandWatch(clock, commandTimeoutMs));
  const fence = keyNames(prefix).fence(resource);
  const words = [fence, ...keys, `${lease.token}`, `${idleMs}`, ...args];
  const reply = await run(hashScript(wrap(script)), 1 + keys.length, words, (said) => said as [number, unknown]);
  const [ran, value] = reply;
  // An error that the script returned, rather than raised, comes as part of the answer.
  if (value instanceof Error) throw explainRedisError(value);
  return ran === 1 ? { ran: true, value: value ?? null } : { ran: false, token: Number(value) };
}

/** Your script becomes a function whose KEYS and ARGV are without ours. */
function wrap(script: string): string {
  return `local fence = redis.call('GET', KEYS[1])
if fence ~= ARGV[1] then return { 0, fence or '0' } end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local function guarded(KEYS, ARGV)
${script}
end
return { 1, guarded({ unpack(KEYS, 2) }, { unpack(ARGV, 3) }) }`;
}
