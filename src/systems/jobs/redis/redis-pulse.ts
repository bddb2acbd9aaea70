/**
 * Redis beside the database: heartbeats, and a short lease on every run that a leader gives away. The database stays
 * the last word, so nothing here can make a run start, end or change hands; it only saves the database work.
 *
 *   worker:{id}         its load; gone when nobody was heard for as long as a worker may be silent. Written after the
 *                       database has answered a heartbeat: a worker that is cut off from the database falls silent
 *                       here as well. While Redis takes the beats, the worker's row is written by the leader, many in
 *                       one statement, and by the worker itself only when half of the silence has passed
 *   jobrun:lease:{id}   the epoch of the leader that gives the run away. One whose epoch is lower leaves the run
 *                       alone without asking the database
 *   no answer           within a fraction of a second: as if there were no Redis, from that beat on. An answer that
 *                       never comes keeps at most one command waiting
 *
 * Ages are told by Redis itself (what is left of the time to live), so its clock is compared with no other.
 */
import type { Clock, Logger, SqlExecutor } from '../../../core/ports.ts';
import { type JobsRedisClient, scriptsOf } from './jobs-redis-client.ts';

export interface HeardWorker {
  /** Since its last beat. */
  readonly ageMs: number;
  readonly load: number;
}

/** Nothing of it throws: Redis away is an answer, too. */
export interface RedisPulse {
  /** The last beat was taken. */
  readonly carries: boolean;
  beat(workerId: number, load: number, silentAfterMs: number): Promise<void>;
  /** Of these workers those that Redis has heard. None, if it does not answer. */
  heard(workerIds: readonly number[]): Promise<ReadonlyMap<number, HeardWorker>>;
  /** Of these runs those that no later leader gives away. All, if Redis does not answer. */
  lease(runIds: readonly number[], epoch: number): Promise<readonly number[]>;
  /** The worker ended as it should. */
  forget(workerId: number): Promise<void>;
}

export interface RedisPulseOptions {
  readonly client: JobsRedisClient;
  /** Before all keys. */
  readonly prefix: string;
  readonly database: SqlExecutor & { readonly schema: string };
  readonly clock: Clock;
  readonly logger: Logger;
}

const answerWithinMs = 300;
const leaseMs = 10_000;

const scripts = {
  beat: `redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1`,
  heard: `
local heard = {}
for i, key in ipairs(KEYS) do
  local value = redis.call('GET', key)
  heard[i] = value and (redis.call('PTTL', key) .. ':' .. value) or ''
end
return heard`,
  lease: `
local given = {}
for i, key in ipairs(KEYS) do
  local epoch = tonumber(redis.call('GET', key) or '0')
  given[i] = epoch > tonumber(ARGV[1]) and 0 or 1
  if given[i] == 1 then redis.call('SET', key, ARGV[1], 'PX', ARGV[2]) end
end
return given`,
  forget: `return redis.call('DEL', KEYS[1])`,
};

export function createRedisPulse(options: RedisPulseOptions): RedisPulse {
  const { database, clock, logger } = options;
  const run = scriptsOf(options.client);
  let carries = false;
  let reachable = true;
  const waiting = new Set<string>();
  let space: Promise<string> | undefined;

  /** Two databases that share a Redis have runs of the same number: the moment of the first migration tells them apart. */
  const readSpace = async (): Promise<string> => {
    const { rows } = await database.query<{ born: string }>({
      text: `select (extract(epoch from min(applied_at)) * 1000000)::bigint::text as born from "${database.schema}".migrations`,
    });
    // One slot of a cluster: a script may touch all of them.
    return `{${options.prefix}${database.schema}.${rows[0]?.born ?? '0'}}:`;
  };
  const keysOf = async (kind: string, ids: readonly number[]): Promise<readonly string[]> => {
    space ??= readSpace().catch((error: unknown) => {
      space = undefined;
      throw error;
    });
    const before = await space;
    return ids.map((id) => `${before}${kind}:${id}`);
  };

  /** Undefined: no answer. */
  const ask = async (
    kind: keyof typeof scripts,
    keyKind: string,
    ids: readonly number[],
    values: readonly string[] = [],
  ): Promise<unknown> => {
    // One that hangs is enough: a client that waits for its server would pile the others up.
    if (waiting.has(kind)) return undefined;
    waiting.add(kind);
    const answered = keysOf(keyKind, ids)
      .then((keys) => run(scripts[kind], keys, values))
      .finally(() => waiting.delete(kind));
    try {
      const answer = await within(answered, answerWithinMs, clock);
      if (!reachable) logger.info('Redis answers the jobs again', {});
      reachable = true;
      return answer;
    } catch (error) {
      if (reachable) logger.warn('Redis does not answer; the jobs go on with the database alone', { error });
      reachable = false;
      return undefined;
    }
  };

  return {
    get carries() {
      return carries;
    },
    async beat(workerId, load, silentAfterMs) {
      const ttlMs = Math.ceil(silentAfterMs);
      carries = (await ask('beat', 'worker', [workerId], [`${ttlMs}:${load}`, String(ttlMs)])) !== undefined;
    },
    async heard(workerIds) {
      const heard = new Map<number, HeardWorker>();
      if (workerIds.length === 0) return heard;
      const answer = await ask('heard', 'worker', workerIds);
      for (const [index, text] of (Array.isArray(answer) ? answer : []).entries()) {
        const [leftMs = 0, ttlMs = 0, load = 0] = String(text).split(':').map(Number);
        const id = workerIds[index];
        if (id !== undefined && leftMs > 0) heard.set(id, { ageMs: Math.max(0, ttlMs - leftMs), load });
      }
      return heard;
    },
    async lease(runIds, epoch) {
      if (runIds.length === 0) return runIds;
      const answer = await ask('lease', 'jobrun:lease', runIds, [String(epoch), String(leaseMs)]);
      return Array.isArray(answer) ? runIds.filter((_, index) => Number(answer[index]) === 1) : runIds;
    },
    async forget(workerId) {
      await ask('forget', 'worker', [workerId]);
    },
  };
}

/** Rejects when nothing came in time; whatever comes later is ignored. */
function within<T>(answer: Promise<T>, ms: number, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => reject(new Error(`no answer within ${ms} ms`)), { background: true });
    answer.finally(() => timer.cancel()).then(resolve, reject);
  });
}
