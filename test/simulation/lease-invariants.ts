/**
 * Independent watchers of a simulated world. They keep their own small account of every key and look at what the store
 * answered, what the resources accepted and what the holders believe; they share no code with the protocol.
 */
import type { LeaseStore } from '../../src/core/ports.ts';
import type { Lease } from '../../src/engine/lease.ts';

export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

interface Account {
  owner: string;
  lastToken: number;
  endUs: number;
  /** Ended by release, break or a lost record: the next grant may come at once. */
  over: boolean;
}

export interface LeaseInvariants {
  /** Wraps the server's store: every executed step is checked. */
  watchStore(store: LeaseStore): LeaseStore;
  /** A resource accepted a read or write. */
  accepted(access: { resource: string; kind: 'read' | 'write'; token: number; base?: number; version?: number }): void;
  holds(lease: Lease): void;
  /** The store lost its newest grant of a key. */
  recordLost(key: string): void;
  /** Looks at what every holder believes right now. */
  observe(): void;
  /** The first rule that was broken. */
  violation(): string | undefined;
  readonly counts: { grants: number; renewals: number; writes: number };
}

export function createLeaseInvariants(nowUs: () => number): LeaseInvariants {
  const accounts = new Map<string, Account>();
  const topToken = new Map<string, number>();
  const usedTokens = new Map<string, Set<number>>();
  const givenTo = new Map<string, string>();
  const forgotten = new Set<string>();
  const excused = new Set<string>();
  const leases = new Set<Lease>();
  const top = new Map<string, number>();
  const lastWrite = new Map<string, number>();
  const counts = { grants: 0, renewals: 0, writes: 0 };
  let first: string | undefined;
  const fail = (what: string): never => {
    // Thrown inside a store it would reach a caller that may swallow it: remember it as well.
    first ??= what;
    throw new InvariantViolation(what);
  };

  function granted(key: string, owner: string, token: number, lastToken: number, ttlMs: number): void {
    counts.grants += 1;
    const account = accounts.get(key);
    const now = nowUs();
    // Asked again while in force, or expired but not taken: the same grant. After a release the id is as good as new.
    if (account && account.owner === owner && !account.over && !forgotten.has(key)) {
      if (account.lastToken !== lastToken)
        fail(`I2: the same grant id of "${key}" was given ${lastToken} after ${account.lastToken}`);
      account.endUs = Math.max(account.endUs, now + ttlMs * 1000);
      return;
    }
    if (account && !account.over && account.endUs > now && !forgotten.has(key)) {
      fail(`I4: "${key}" was granted to ${owner} ${(account.endUs - now) / 1000} ms before ${account.owner} ended`);
    }
    // A record that was lost may bring back an older grant under its old number: the fence has moved on.
    const sameAgain = forgotten.has(key) && givenTo.get(`${key} ${lastToken}`) === owner;
    givenTo.set(`${key} ${lastToken}`, owner);
    accounts.set(key, { owner, lastToken, endUs: now + ttlMs * 1000, over: false });
    if (sameAgain) return;
    const highest = topToken.get(key) ?? 0;
    if (token <= highest) fail(`I2: "${key}" was granted token ${token}; ${highest} had been given out`);
    topToken.set(key, Math.max(highest, lastToken));
  }

  /** A release grants to the first in line in the same step. */
  async function adoptHeir(store: LeaseStore, key: string): Promise<void> {
    const [heir] = (await store.list({ prefix: key, limit: 10 })).filter((info) => info.key === key);
    const account = accounts.get(key);
    if (heir && !(account && !account.over && account.owner === heir.owner)) {
      granted(key, heir.owner, heir.token, heir.token, heir.remainingMs);
    }
  }

  return {
    counts,
    violation: () => first,
    watchStore(store) {
      return {
        ...store,
        async acquire(request) {
          const reply = await store.acquire(request);
          if (reply.granted) granted(request.key, request.owner, reply.token, reply.lastToken, request.ttlMs);
          return reply;
        },
        async renew(requests) {
          const before = nowUs();
          const answers = await store.renew(requests);
          requests.forEach(({ key, owner, token, ttlMs }, i) => {
            const account = accounts.get(key);
            if (!answers[i]) return;
            counts.renewals += 1;
            if (forgotten.has(key)) return;
            if (!account || account.owner !== owner || account.lastToken !== token) {
              fail(
                `I3: a renewal of ${owner} (${token}) succeeded; ${account?.owner} (${account?.lastToken}) holds "${key}"`,
              );
            } else {
              if (account.over || account.endUs <= before) fail(`I3: a renewal revived ${owner} of "${key}"`);
              account.endUs = Math.max(account.endUs, before + ttlMs * 1000);
            }
          });
          return answers;
        },
        async release(request) {
          const account = accounts.get(request.key);
          const released = await store.release(request);
          if (!released) return false;
          if (account && account.owner !== request.owner && !forgotten.has(request.key)) {
            fail(`I3: a release of ${request.owner} ended the grant of ${account.owner} on "${request.key}"`);
          }
          if (account) account.over = true;
          await adoptHeir(store, request.key);
          return true;
        },
        async breakLease(request) {
          const account = accounts.get(request.key);
          const reply = await store.breakLease(request);
          if (reply.broken) {
            excused.add(request.key);
            if (account) account.over = true;
            await adoptHeir(store, request.key);
          }
          return reply;
        },
      };
    },
    accepted({ resource, kind, token, base, version }) {
      const highest = top.get(resource) ?? 0;
      if (token < highest) fail(`I1: "${resource}" accepted a ${kind} with token ${token} after ${highest}`);
      top.set(resource, token);
      if (kind !== 'write') return;
      counts.writes += 1;
      const last = lastWrite.get(resource) ?? 0;
      if (base !== undefined && base !== last)
        fail(`lost update: "${resource}" was at ${last}, the writer (token ${token}) had read ${base}`);
      lastWrite.set(resource, version ?? 0);
    },
    holds(lease) {
      const used = usedTokens.get(lease.key) ?? new Set();
      if (used.has(lease.token)) fail(`I2: token ${lease.token} of "${lease.key}" was given to two holders`);
      usedTokens.set(lease.key, used.add(lease.token));
      leases.add(lease);
    },
    recordLost(key) {
      // What the store knows of this key is now unknown to us; the fence and the numbers must still hold.
      excused.add(key);
      forgotten.add(key);
    },
    observe() {
      const believers = new Map<string, Lease>();
      for (const lease of leases) {
        if (!lease.isHeld()) {
          leases.delete(lease);
          continue;
        }
        if (excused.has(lease.key)) continue;
        const account = accounts.get(lease.key);
        if (account && account.owner === lease.owner && !account.over && account.endUs <= nowUs()) {
          fail(`${lease.owner} believes it holds "${lease.key}" past the store's end`);
        }
        const other = believers.get(lease.key);
        if (other) fail(`two holders of "${lease.key}" at once: tokens ${other.token} and ${lease.token}`);
        believers.set(lease.key, lease);
      }
    },
  };
}
