/**
 * Leases as rows of a PostgreSQL dialect database. One method is one statement, one trip, one commit, judged by the
 * server's clock. Nothing is kept here but the texts.
 *
 *   acquire, try   one INSERT … ON CONFLICT        release   one UPDATE: frees, or grants to the first in line
 *   renew          one statement for all leases    shares    one function call each
 *
 * The statements set their own commit mode and count on autocommit: but for the break they must never run inside
 * somebody's transaction. Notices travel by NOTIFY to the one process concerned.
 */
import { platform } from '#platform';
import { LeaseError } from '../core/errors.ts';
import { followsPlace } from '../core/follows-place.ts';
import { processOf } from '../core/grant-id.ts';
import type {
  AcquireReply,
  LeaseCapabilities,
  LeaseInfo,
  LeaseStore,
  Random,
  SqlDatabase,
  SqlExecutor,
} from '../core/ports.ts';
import { blockSpan } from './block-span.ts';
import { breakLeaseIn } from './break-lease-in.ts';
import type { LeaseDurability } from './lease-durability.ts';
import { leaseMigrations } from './lease-migrations.ts';
import { leaseStatements, type NamedStatement } from './lease-statements.ts';
import { channelOf, parseNotice } from './notices.ts';
import { type PoolColumn, poolHolders } from './pool-holders.ts';
import { renewLeases } from './renew-leases.ts';

export interface SqlLeaseStoreOptions {
  readonly database: SqlDatabase;
  /** Shown in messages. */
  readonly name: string;
  readonly capabilities: LeaseCapabilities;
  /** @default 'standard' */
  readonly durability?: LeaseDurability;
  /** Where renewals go, so that they never wait behind other work. @default database */
  readonly renewals?: SqlExecutor;
  /** Closes the database together with the store. @default false */
  readonly ownsDatabase?: boolean;
  /** Decides when to sweep. @default the platform's */
  readonly random?: Pick<Random, 'fraction'>;
}

interface Held {
  readonly owner: string | null;
  readonly left_ms: number | null;
  readonly holders: PoolColumn | null;
}

interface AcquireRow {
  readonly token: number;
  readonly block: boolean;
  readonly refusal: readonly [owner: string, leftSeconds: number, inLine: boolean, holders: PoolColumn | null] | null;
}

/** One acquire in so many also removes rows that were idle for a day: tables grow with acquires, so do sweeps. */
const acquiresPerSweep = 10_000;
/** A try that lost a race finds the winner when it asks again; more than this many in a row is just "busy". */
const triesMax = 3;
/** PostgreSQL ends identifiers, and so channel names, here. */
const channelBytesMax = 63;

export function sqlLeaseStore(options: SqlLeaseStoreOptions): LeaseStore {
  const { database, name, capabilities, durability = 'standard', renewals = database } = options;
  const { ownsDatabase = false, random = platform.random } = options;
  const statements = leaseStatements(database.schema, durability);
  const processMax = channelBytesMax - channelOf(database.schema, '').length;
  let sweeping: Promise<unknown> | undefined;
  let closed = false;

  const checkOpen = (): void => {
    if (closed) throw new LeaseError(`This ${name} store was closed.`, { code: 'closed' });
  };

  /** A driver may take the statement as it is; the values are the only thing made per call. */
  const run = <Row>({ text, name }: NamedStatement, values: readonly unknown[], on: SqlExecutor = database) => {
    checkOpen();
    return on.query<Row>({ text, name, values });
  };

  const checkOwner = (owner: string): void => {
    // Owners stand in lists, notices and channel names of the store; the marks used there must not occur in them.
    if (/^[!-{}~]+$/.test(owner) && owner !== '*' && processOf(owner).length <= processMax) return;
    throw new LeaseError(
      `The grant id ${JSON.stringify(owner)} must be printable ASCII without spaces and "|", its part before the first dot at most ${processMax} characters.`,
      { code: 'invalid-argument' },
    );
  };

  const checkProcess = (process: string): void => {
    if (/^[!#-{}~]+$/.test(process) && process.length <= processMax) return;
    throw new LeaseError(
      `The process ${JSON.stringify(process)} must be printable ASCII without spaces, quotes and "|", at most ${processMax} characters.`,
      { code: 'invalid-argument' },
    );
  };

  const sweepNowAndThen = (): void => {
    if (sweeping || random.fraction() * acquiresPerSweep >= 1) return;
    // Nobody waits for it and nobody depends on it: what a failed sweep leaves, a later one takes.
    sweeping = run(statements.sweep, [])
      .catch(() => undefined)
      .finally(() => {
        sweeping = undefined;
      });
  };

  const tryAcquire = async (key: string, owner: string, ttlMs: number): Promise<AcquireReply> => {
    for (let tries = 0; tries < triesMax; tries++) {
      const { rows } = await run<AcquireRow>(statements.tryAcquire, [key, owner, ttlMs]);
      if (rows[0]) return acquireReply(rows[0]);
    }
    // Refused for sure, at an unknown token: none that is told later may count as news.
    return { granted: false, token: Number.MAX_SAFE_INTEGER, inLine: false };
  };

  return {
    name,
    capabilities,
    schema: { database, migrations: [leaseMigrations] },

    async acquire({ key, owner, ttlMs, line, share }) {
      checkOwner(owner);
      sweepNowAndThen();
      if (share) {
        const values = [key, owner, ttlMs, share.weight, share.capacity, line];
        return acquireReply(only(await run<AcquireRow>(statements.acquireShare, values)));
      }
      if (!line) return tryAcquire(key, owner, ttlMs);
      return acquireReply(only(await run<AcquireRow>(statements.acquire, [key, owner, ttlMs])));
    },

    async acquireAll({ keys, owner, ttlMs }) {
      checkOwner(owner);
      const { rows } = await run<AcquireRow & { key: string }>(statements.acquireAll, [keys, owner, ttlMs]);
      const refused = rows.find((row) => row.refusal !== null);
      if (refused?.refusal) return { granted: false, key: refused.key, ...holderOf(refused.refusal) };
      const byKey = new Map(rows.map((row) => [row.key, row]));
      return {
        granted: true,
        tokens: keys.flatMap((key) => {
          const row = byKey.get(key);
          return row ? [{ key, ...numbersOf(row) }] : [];
        }),
      };
    },

    renew: (requests) => renewLeases((statement, values) => run(statement, values, renewals), statements, requests),

    async release({ key, owner, token, acceptMs, share }) {
      if (share) {
        const values = [key, owner, token, acceptMs, durability !== 'strict'];
        return only(await run<{ released: boolean }>(statements.releaseShare, values)).released;
      }
      return (await run(statements.release, [key, owner, token, acceptMs])).rowCount > 0;
    },

    async leave({ key, owner }) {
      return (await run(statements.leave, [key, owner])).rowCount > 0;
    },

    async breakLease(request) {
      checkOpen();
      return breakLeaseIn(database, statements.breakLease, request);
    },

    async explainLoss({ key, owner, token }) {
      const row = only(
        await run<Held & { by: string | null; reason: string | null }>(statements.explainLoss, [key, owner, token]),
      );
      if (row.by !== null) return { kind: 'broken', by: row.by, reason: row.reason ?? '' };
      const other = row.holders
        ? poolHolders(row.holders, row.left_ms ?? 0).find((holder) => holder.owner !== owner)?.owner
        : row.owner;
      return other ? { kind: 'taken', holder: other } : { kind: 'expired' };
    },

    async list({ prefix = '', after, limit }) {
      // One row more: of the first key nothing may be left after the place.
      const { rows } = await run<Held & { key: string; token: number; waiting: number }>(statements.listLeases, [
        prefix,
        after ? limit + 1 : limit,
        after?.key ?? prefix,
      ]);
      return rows
        .flatMap(infoOf)
        .filter((info) => followsPlace(info, after))
        .slice(0, limit);
    },

    async claim({ resource, token }) {
      return only(await run<{ claimed: boolean; token: number }>(statements.claimFence, [resource, token]));
    },

    async subscribe(process, onNotice) {
      checkOpen();
      checkProcess(process);
      return database.listen(channelOf(database.schema, process), (payload) => {
        const notice = parseNotice(payload);
        if (notice) onNotice(notice);
      });
    },

    async close() {
      closed = true;
      await sweeping;
      if (ownsDatabase) await database.close();
    },
  };
}

function acquireReply(row: AcquireRow): AcquireReply {
  const { refusal, token } = row;
  if (refusal === null) return { granted: true, ...numbersOf(row) };
  return { granted: false, token, inLine: refusal[2], ...holderOf(refusal) };
}

function numbersOf({ token, block }: AcquireRow): { token: number; lastToken: number } {
  return { token: block ? token - blockSpan : token, lastToken: token };
}

function holderOf([owner, leftSeconds, , holders]: NonNullable<AcquireRow['refusal']>): {
  holder?: string;
  remainingMs?: number;
} {
  if (holders === null) return { holder: owner, remainingMs: leftSeconds * 1000 };
  const [first] = poolHolders(holders, leftSeconds * 1000);
  return first ? { holder: first.owner, remainingMs: first.remainingMs } : {};
}

function infoOf(row: Held & { key: string; token: number; waiting: number }): readonly LeaseInfo[] {
  const { key, token, owner, left_ms, waiting, holders } = row;
  if (owner === null || left_ms === null) return [];
  if (holders === null) return [{ key, owner, token, remainingMs: left_ms, waiting }];
  return poolHolders(holders, left_ms).map((holder) => ({ key, waiting, ...holder }));
}

function only<Row>({ rows }: { readonly rows: readonly Row[] }): Row {
  const [row] = rows;
  if (row === undefined)
    throw new LeaseError('The database gave no answer row where one was due.', { code: 'store-corrupt' });
  return row;
}
