/**
 * Leases in Redis. One method is one script, judged by the server's clock (TIME). Nothing is kept here but the texts.
 * A record is one hash per key; docs/internals/redis.md describes it.
 *
 *   acquire   takes it or stands in line
 *   release   deletes the holder's field; where somebody waits that finds nothing, and a script grants to the first in
 *             line and tells its process
 *   renew     scripts of 500, by slot in a cluster
 */
import { platform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import { followsPlace } from '../../core/follows-place.ts';
import { limits } from '../../core/limits.ts';
import type { AcquireReply, Clock, LeaseInfo, LeaseStore } from '../../core/ports.ts';
import { commandWatch } from './command-watch.ts';
import { keyGroups } from './key-groups.ts';
import { keyNames } from './key-names.ts';
import { noticeLine } from './notice-line.ts';
import { parseNotice } from './notices.ts';
import type { RedisClient } from './redis-client.ts';
import { failedCommand } from './redis-errors.ts';
import { redisPort } from './redis-port.ts';
import { hashScript, type Script, scriptRunner } from './script-runner.ts';
import { acquireScript, slackMs } from './scripts/acquire.ts';
import { acquireAllScript } from './scripts/acquire-all.ts';
import { breakLeaseScript } from './scripts/break-lease.ts';
import { claimScript } from './scripts/claim.ts';
import { explainLossScript } from './scripts/explain-loss.ts';
import { leaveScript } from './scripts/leave.ts';
import { listLeasesScript } from './scripts/list-leases.ts';
import { releaseScript } from './scripts/release.ts';
import { renewScript } from './scripts/renew.ts';

export interface RedisStoreOptions {
  /**
   * A connected client of `ioredis` or `redis`, or a cluster of either. It stays yours: the store does not close it.
   * Give it an `error` listener; a `redis` client without one ends the process when its connection breaks.
   */
  readonly client: RedisClient;
  /** A second connection for subscriptions, of the same library; it stays yours. @default one duplicated from `client` */
  readonly subscriber?: RedisClient;
  /** Begins the name of every key and channel: 1 to 64 of letters, digits, `:_.-`. @default 'kannuki' */
  readonly prefix?: string;
  /** An unanswered command fails after this, 10 to 600,000; it may still be executed later. @default 5000 */
  readonly commandTimeoutMs?: number;
  /** How long an unused record and an unused fence are remembered at least, a day to a year. @default 86400000, one day */
  readonly idleMs?: number;
  /** @default the platform's clock */
  readonly clock?: Pick<Clock, 'after' | 'monotonicMs'>;
}

/** Leases of one script: longer ones would keep other clients waiting. */
const keysPerScript = 500;
const scanCount = 1_000;
const yearMs = 366 * 86_400_000;

const scripts = {
  acquireAll: hashScript(acquireAllScript),
  breakLease: hashScript(breakLeaseScript),
  claim: hashScript(claimScript),
  explainLoss: hashScript(explainLossScript),
  leave: hashScript(leaveScript),
  list: hashScript(listLeasesScript),
  renew: hashScript(renewScript),
} as const;

/**
 * Leases in Redis, 6.2 or newer.
 *
 * What Redis does not promise: a failover can lose the last writes, and a server without persistence forgets
 * everything when it restarts. Then two processes may believe that they hold the same lease until the first one's next
 * renewal. Their tokens still differ and rise, as far as the servers' clocks agree; so fence what must not be written
 * twice (`claim` and `guardedEval`). Set `maxmemory-policy noeviction`: an evicted record is a forgotten lease.
 */
export function redisStore(options: RedisStoreOptions): LeaseStore {
  const { client, subscriber, prefix = 'kannuki', clock = platform.clock } = options;
  const { commandTimeoutMs = 5_000, idleMs = limits.ttlMsMax } = options;
  checkMs('commandTimeoutMs', commandTimeoutMs, 10, 600_000);
  // Not shorter than the longest lease, so that a record never ends before its holders do.
  checkMs('idleMs', idleMs, limits.ttlMsMax, yearMs);
  const port = redisPort(client);
  const names = keyNames(prefix);
  const watch = commandWatch(clock, commandTimeoutMs);
  const send = scriptRunner(port, watch);
  const notices = noticeLine(subscriber ? redisPort(subscriber) : port, !subscriber, watch);
  const idle = `${Math.ceil(idleMs) + slackMs}`;
  const tryScript = hashScript(acquireScript(idle, false));
  const waitScript = hashScript(acquireScript(idle, true));
  const release = hashScript(releaseScript(idle));
  let closed = false;

  const checkOpen = (): void => {
    if (closed) throw new LeaseError('This redis store was closed.', { code: 'closed' });
  };
  const run = async <T>(script: Script, keys: readonly string[], values: readonly string[]): Promise<T> => {
    checkOpen();
    return send(script, keys.length, [...keys, ...values], (reply) => reply as T);
  };
  /** Runs a script over many keys, batch after batch; `take` gets one part of the answer for each key. */
  const runOnMany = async <T>(
    script: Script,
    keys: readonly string[],
    valuesOf: (group: readonly number[]) => readonly string[],
    take: (i: number, part: T) => void,
  ): Promise<void> => {
    for (const batch of keyGroups(keys, keysPerScript, port.cluster)) {
      await Promise.all(
        batch.map(async (group) => {
          const groupKeys = group.map((i) => keys[i] ?? '');
          const parts = await run<readonly T[]>(script, groupKeys, valuesOf(group));
          parts.forEach((part, n) => {
            take(group[n] ?? 0, part);
          });
        }),
      );
    }
  };

  return {
    name: 'redis',
    capabilities: {
      line: true,
      shared: true,
      counted: true,
      several: !port.cluster || { no: 'In a Redis cluster keys lie on several servers, and no script reaches two.' },
      fences: true,
      durable: true,
      network: true,
    },

    // Not async, as release: every promise more is felt in the fastest cycle there is.
    acquire({ key, owner, ttlMs, line, share }) {
      try {
        checkOpen();
        checkOwner(owner);
        const words = [names.lease(key), owner, `${ttlMs}`];
        if (share) words.push(`${share.weight}`, `${share.capacity}`);
        return send(line ? waitScript : tryScript, 1, words, readAcquire);
      } catch (error) {
        return Promise.reject(error);
      }
    },

    async acquireAll({ keys, owner, ttlMs }) {
      checkOwner(owner);
      if (port.cluster) {
        throw new LeaseError('A Redis cluster cannot grant several keys in one step; acquire them one by one.', {
          code: 'unsupported',
        });
      }
      const reply = await run<readonly unknown[]>(scripts.acquireAll, keys.map(names.lease), [owner, `${ttlMs}`, idle]);
      if (!reply[0]) {
        const [, at, holder, leftUs] = reply as [0, number, string?, number?];
        return { granted: false, key: keys[at - 1] ?? '', ...holderOf(holder, leftUs) };
      }
      const numbers = reply.slice(1) as number[];
      return {
        granted: true,
        tokens: keys.map((key, i) => ({ key, token: numbers[2 * i] ?? 0, lastToken: numbers[2 * i + 1] ?? 0 })),
      };
    },

    async renew(requests) {
      checkOpen();
      const renewed = requests.map(() => false);
      await runOnMany<number>(
        scripts.renew,
        requests.map(({ key }) => names.lease(key)),
        (group) => {
          const values = [idle];
          for (const i of group) {
            const request = requests[i];
            if (request) values.push(`${request.owner}|${request.token}`, `${request.ttlMs}`);
          }
          return values;
        },
        (i, answer) => {
          renewed[i] = answer === 1;
        },
      );
      return renewed;
    },

    release({ key, owner, token, acceptMs, handedOver }) {
      try {
        checkOpen();
        const name = names.lease(key);
        const mine = token === null ? owner : `${owner}|${token}`;
        const handOver = (): Promise<boolean> => send(release, 1, [name, mine, `${acceptMs}`], isOne);
        // Where one was handed on, the next most likely waits too: then the first step would be in vain.
        if (token === null || handedOver) return handOver();
        return watch.wait(port.hashDelete(name, mine), (deleted) => deleted === 1 || handOver(), failedCommand);
      } catch (error) {
        return Promise.reject(error);
      }
    },

    async leave({ key, owner }) {
      return (await run<number>(scripts.leave, [names.lease(key)], [owner, idle])) === 1;
    },

    async breakLease({ key, reason, by, acceptMs }) {
      const [token, ...holders] = await run<[number?, ...string[]]>(
        scripts.breakLease,
        [names.lease(key), names.reasons(key)],
        [`${acceptMs}`, idle, JSON.stringify([by, reason])],
      );
      return token === undefined ? { broken: false } : { broken: true, holders, token };
    },

    async explainLoss({ key, owner, token }) {
      const [kind, text = ''] = await run<[string, string?]>(
        scripts.explainLoss,
        [names.lease(key), names.reasons(key)],
        [owner, `${token}`],
      );
      if (kind === 'taken') return { kind, holder: text };
      if (kind !== 'broken') return { kind: 'expired' };
      const [by, reason] = JSON.parse(text) as [string, string];
      return { kind, by, reason };
    },

    /** Walks over all keys of the database in small steps, since Redis keeps no order. Memory is bounded by `limit`. */
    async list({ prefix: keyPrefix = '', after, limit }) {
      checkOpen();
      const found = new Map<string, readonly LeaseInfo[]>();
      const scanners = await watch.wait(port.scanners(), (all) => all, failedCommand);
      for (const scan of scanners) {
        let cursor = '0';
        do {
          checkOpen();
          const asked = scan(cursor, names.pattern(keyPrefix), scanCount);
          const page = await watch.wait(asked, (some) => some, failedCommand);
          cursor = page.cursor;
          const wanted = page.names.filter((name) => names.keyOf(name) >= (after?.key ?? ''));
          await runOnMany<readonly unknown[]>(
            scripts.list,
            wanted,
            () => [],
            (i, item) => {
              const key = names.keyOf(wanted[i] ?? '');
              const held = infosOf(key, item).filter((info) => followsPlace(info, after));
              if (held.length > 0) found.set(key, held);
            },
          );
          for (const key of [...found.keys()].sort().slice(limit)) found.delete(key);
        } while (cursor !== '0');
      }
      return [...found.keys()]
        .sort()
        .flatMap((key) => found.get(key) ?? [])
        .slice(0, limit);
    },

    async claim({ resource, token }) {
      const [claimed, fence] = await run<[number, number]>(scripts.claim, [names.fence(resource)], [`${token}`, idle]);
      return { claimed: claimed === 1, token: fence };
    },

    async subscribe(process, onNotice) {
      checkOpen();
      return notices.subscribe(names.channel(process), (message) => {
        const notice = parseNotice(message, names);
        if (notice) onNotice(notice);
      });
    },

    async close() {
      closed = true;
      notices.close();
    },
  };
}

function readAcquire(reply: unknown): AcquireReply {
  if (typeof reply === 'number') return { granted: true, token: reply, lastToken: reply + limits.tokenBlock - 1 };
  const [granted, a, b, holder, leftUs] = reply as [number, number, number, string?, number?];
  if (granted) return { granted: true, token: a, lastToken: b };
  return { granted: false, token: a, inLine: b === 1, ...holderOf(holder, leftUs) };
}

function isOne(reply: unknown): boolean {
  return reply === 1;
}

function holderOf(holder?: string, leftUs?: number): { holder?: string; remainingMs?: number } {
  return holder === undefined || leftUs === undefined ? {} : { holder, remainingMs: leftUs / 1000 };
}

function infosOf(key: string, [waiting, ...parts]: readonly unknown[]): readonly LeaseInfo[] {
  const infos: LeaseInfo[] = [];
  for (let i = 0; i < parts.length; i += 5) {
    const [owner, token, leftUs, weight, capacity] = parts.slice(i) as [string, number, number, number, number];
    infos.push({
      key,
      owner,
      token,
      remainingMs: leftUs / 1000,
      waiting: waiting as number,
      ...(capacity > 0 && { share: { weight, capacity } }),
    });
  }
  return infos.sort((a, b) => a.token - b.token);
}

/** Owners stand in records, notices and channel names; the marks used there must not occur in them. */
function checkOwner(owner: string): void {
  if (/^[!-{}~]+$/.test(owner)) return;
  throw new LeaseError(`The grant id ${JSON.stringify(owner)} must be printable ASCII without spaces and "|".`, {
    code: 'invalid-argument',
  });
}

function checkMs(name: string, value: number, min: number, max: number): void {
  if (Number.isFinite(value) && value >= min && value <= max) return;
  throw new LeaseError(`${name} must be a number of milliseconds from ${min} to ${max}, got ${value}.`, {
    code: 'invalid-argument',
  });
}
