/**
 * The document of one lease. `record` is what the core decides on; the fields beside it are there to be found by.
 *
 *   key        the lease's key
 *   heldKey    the same while somebody holds it, else null: the order of `list`
 *   processes  whose listeners must hear of a change: those of holders, waiters and recently broken holders
 *   change     new with every write. A write that changes nothing would not move `updateTime`, and two such writes
 *              could both believe that they had won; it also tells an unanswered write that landed from one that did not
 *   forgetAt   a day after everything in it is over: for a TTL policy, if you want one
 *   record     { token, holders, line, handed, broken }; times in µs by the server's clock
 *
 * `handed` says which holders were given the lease by a release, and for how long; `broken` why a grant was ended.
 */
import { LeaseError } from '../../core/errors.ts';
import { processOf } from '../../core/grant-id.ts';
import { emptyRecord, type Heir, type Holder, type LeaseRecord, type Waiter } from '../../core/lease.ts';
import { limits } from '../../core/limits.ts';
import type { Share } from '../../core/ports.ts';
import { dateOf } from '../../platform/date-of.ts';

export interface Handed extends Heir {
  readonly acceptMs: number;
}

export interface Broken {
  readonly owner: string;
  readonly token: number;
  readonly by: string;
  readonly reason: string;
  readonly atUs: number;
}

export interface LeaseDocument {
  readonly record: LeaseRecord;
  readonly handed: readonly Handed[];
  readonly broken: readonly Broken[];
}

export const emptyDocument: LeaseDocument = { record: emptyRecord, handed: [], broken: [] };

/** Reasons are kept for a day, and not more than this many: they are part of the document. */
const brokenMax = 64;
const dayUs = 86_400_000_000;

export interface LeaseFields {
  readonly key: string;
  readonly heldKey: string | null;
  readonly processes: readonly string[];
  readonly change: string;
  readonly forgetAt: object;
  readonly record: object;
}

/** What is written. Entries that have had their time are left out. */
export function fieldsOf(key: string, document: LeaseDocument, nowUs: number, change: string): LeaseFields {
  const { token, holders, line } = document.record;
  const handed = document.handed.filter((heir) =>
    holders.some((holder) => holder.owner === heir.owner && holder.token === heir.lastToken),
  );
  const broken = document.broken.filter(({ atUs }) => atUs > nowUs - dayUs).slice(-brokenMax);
  const endUs = Math.max(nowUs, token, ...holders.map((holder) => holder.endUs));
  return {
    key,
    heldKey: holders.length > 0 ? key : null,
    processes: [...new Set([...holders, ...line, ...broken].map(({ owner }) => processOf(owner)))],
    change,
    forgetAt: dateOf(Math.ceil((endUs + dayUs) / 1000)),
    record: {
      token,
      holders: holders.map(({ owner, token: last, endUs: end, share }) => ({
        owner,
        token: last,
        endUs: end,
        ...share,
      })),
      line: line.map(({ owner, share }) => ({ owner, ...share })),
      handed: handed.map(({ owner, token: first, lastToken, acceptMs }) => ({
        owner,
        token: first,
        lastToken,
        acceptMs,
      })),
      broken: broken.map(({ owner, token: last, by, reason, atUs }) => ({ owner, token: last, by, reason, atUs })),
    },
  };
}

/** Reads what `fieldsOf` wrote. Anything else is not ours: it is reported and left alone. */
export function parseLeaseDocument(id: string, fields: Readonly<Record<string, unknown>> | undefined): LeaseDocument {
  if (fields === undefined) return emptyDocument;
  try {
    const record = mapOf(fields.record);
    return {
      record: {
        token: numberOf(record.token),
        holders: listOf(record.holders).map(holderOf),
        line: listOf(record.line).map(waiterOf),
      },
      handed: listOf(record.handed).map((entry) => ({
        owner: textOf(entry.owner),
        token: numberOf(entry.token),
        lastToken: numberOf(entry.lastToken),
        acceptMs: numberOf(entry.acceptMs),
      })),
      broken: listOf(record.broken).map((entry) => ({
        owner: textOf(entry.owner),
        token: numberOf(entry.token),
        by: textOf(entry.by),
        reason: textOf(entry.reason),
        atUs: numberOf(entry.atUs),
      })),
    };
  } catch (cause) {
    throw new LeaseError(
      `The Firestore document "${id}" is not a lease of ours or is damaged; nothing was changed. Use another collection, or delete that document.`,
      { code: 'store-corrupt', cause },
    );
  }
}

type Fields = Readonly<Record<string, unknown>>;

function holderOf(entry: Fields): Holder {
  return { ...waiterOf(entry), token: numberOf(entry.token), endUs: numberOf(entry.endUs) };
}

function waiterOf(entry: Fields): Waiter {
  const owner = textOf(entry.owner);
  if (entry.capacity === undefined) return { owner };
  const share: Share = { weight: numberOf(entry.weight), capacity: numberOf(entry.capacity) };
  return { owner, share };
}

function listOf(value: unknown): readonly Fields[] {
  if (!Array.isArray(value) || value.length > limits.lineMax * 1_000) throw new TypeError('not a list');
  return value.map(mapOf);
}

function mapOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('not a map');
  return value as Fields;
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('not a text');
  return value;
}

/** A client with `useBigInt` returns whole numbers as such; ours are all safe integers. */
export function numberOf(value: unknown): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number) || Math.abs(number) > Number.MAX_SAFE_INTEGER) {
    throw new TypeError('not a number');
  }
  return number;
}
