/**
 * The lease protocol as pure decisions: (record, request, the store's now) → (next record, answer).
 *
 * A record is what a store keeps per key. It is free (no holder), exclusive (one holder without a share) or a
 * pool (holders with shares of one capacity). Rules, each shown necessary by a failing variant in test/models:
 *   1. token = max(last + 1, store's clock in µs). A grant reserves a block and the record keeps its *last*
 *      number, so numbers never come again, even if the record is lost while the clock is ahead of them.
 *   2. Whoever asks again under the same grant id gets the same grant, with its end extended.
 *   3. A renewal never shortens and never revives; renew and release name owner *and* token.
 *   4. A release grants to the first in line and tells only that process. The grant is short (`acceptMs`).
 *   5. A notice is believed only above the token of the last refusal, and dated by when that attempt was sent.
 *   6. Nobody overtakes the line while somebody holds; after an expiry whoever asks first wins.
 * Times are µs by the store's clock. `end > now` means in force; at `end` the lease is over.
 */
import { limits } from './limits.ts';
import type { Share } from './ports.ts';

export interface Holder {
  readonly owner: string;
  readonly token: number;
  readonly endUs: number;
  readonly share?: Share;
}

export interface Waiter {
  readonly owner: string;
  readonly share?: Share;
}

export interface LeaseRecord {
  /** The last number given out. */
  readonly token: number;
  readonly holders: readonly Holder[];
  readonly line: readonly Waiter[];
}

export const emptyRecord: LeaseRecord = { token: 0, holders: [], line: [] };

export interface Numbers {
  readonly token: number;
  readonly lastToken: number;
}

/** A grant made by a release or break; its owner must be told. */
export interface Heir extends Numbers {
  readonly owner: string;
}

/**
 * The numbers of the next grant. While tokens are ahead of the clock a block would run further ahead with every
 * grant, and the clock half would no longer protect against a lost record: then a single number is given.
 */
export function nextNumbers(lastToken: number, nowUs: number, block: number = limits.tokenBlock): Numbers {
  if (lastToken >= nowUs) return { token: lastToken + 1, lastToken: lastToken + 1 };
  return { token: nowUs, lastToken: nowUs + block - 1 };
}

export interface AcquireInput {
  readonly owner: string;
  readonly ttlMs: number;
  readonly line: boolean;
  readonly share?: Share;
}

export type AcquireDecision =
  | { readonly granted: true; readonly record: LeaseRecord; readonly numbers: Numbers }
  | {
      readonly granted: false;
      readonly record: LeaseRecord;
      readonly holder: Holder | undefined;
      readonly inLine: boolean;
    };

export function decideAcquire(record: LeaseRecord, input: AcquireInput, nowUs: number): AcquireDecision {
  const endUs = nowUs + input.ttlMs * 1000;
  const mine = record.holders.find((holder) => holder.owner === input.owner);
  if (mine) {
    const extended = { ...mine, endUs: Math.max(mine.endUs, endUs) };
    return {
      granted: true,
      // The first number was in the lost reply; the last one is ours too, and unused.
      numbers: { token: mine.token, lastToken: mine.token },
      record: {
        token: record.token,
        holders: record.holders.map((holder) => (holder === mine ? extended : holder)),
        line: without(record.line, input.owner),
      },
    };
  }
  const live = liveHolders(record, nowUs);
  if (fits(live, input.share) && mayPass(record.line, live, input)) {
    const { holder, numbers } = makeGrant(record.token, input, nowUs, endUs);
    return {
      granted: true,
      numbers,
      record: { token: numbers.lastToken, holders: [...live, holder], line: without(record.line, input.owner) },
    };
  }
  const standing = record.line.some((waiter) => waiter.owner === input.owner);
  const joins = input.line && !standing && record.line.length < limits.lineMax;
  return {
    granted: false,
    holder: live[0],
    inLine: standing || joins,
    record: joins ? { ...record, line: [...record.line, waiterOf(input)] } : record,
  };
}

/** The renewed record, or undefined: not in force. */
export function decideRenew(
  record: LeaseRecord,
  input: { readonly owner: string; readonly token: number; readonly ttlMs: number },
  nowUs: number,
): LeaseRecord | undefined {
  const mine = record.holders.find((holder) => holder.owner === input.owner && holder.token === input.token);
  if (!mine || mine.endUs <= nowUs) return undefined;
  const extended = { ...mine, endUs: Math.max(mine.endUs, nowUs + input.ttlMs * 1000) };
  return { ...record, holders: record.holders.map((holder) => (holder === mine ? extended : holder)) };
}

export interface ReleaseDecision {
  readonly record: LeaseRecord;
  readonly heirs: readonly Heir[];
}

/** Undefined: this grant is not in the record, nothing changes. */
export function decideRelease(
  record: LeaseRecord,
  input: { readonly owner: string; readonly token: number | null; readonly acceptMs: number },
  nowUs: number,
): ReleaseDecision | undefined {
  const mine = record.holders.find(
    (holder) => holder.owner === input.owner && (input.token === null || holder.token === input.token),
  );
  if (!mine) return undefined;
  const rest = record.holders.filter((holder) => holder !== mine && holder.endUs > nowUs);
  return grantToLine({ ...record, holders: rest }, input.acceptMs, nowUs);
}

/** The record without this waiter, or undefined: it does not stand in line. */
export function decideLeave(record: LeaseRecord, owner: string): LeaseRecord | undefined {
  const line = without(record.line, owner);
  return line.length === record.line.length ? undefined : { ...record, line };
}

export interface BreakDecision extends ReleaseDecision {
  readonly broken: readonly Holder[];
}

/** Ends every holder's grant by an operator's word: the token rises, then the line gets its turn. */
export function decideBreak(record: LeaseRecord, acceptMs: number, nowUs: number): BreakDecision | undefined {
  const broken = liveHolders(record, nowUs);
  if (broken.length === 0) return undefined;
  const { lastToken } = nextNumbers(record.token, nowUs, 1);
  return { broken, ...grantToLine({ token: lastToken, holders: [], line: record.line }, acceptMs, nowUs) };
}

/** Raises a fence only upwards. An equal token is the same holder again. */
export function decideClaim(fence: number | undefined, token: number): { claimed: boolean; token: number } {
  const current = fence ?? 0;
  return token >= current ? { claimed: true, token } : { claimed: false, token: current };
}

export interface Refusal {
  /** The record's last token in the refusal. */
  readonly token: number;
  /** When the refused attempt was sent. */
  readonly sentMs: number;
}

/**
 * When a handed-over grant counts from, or undefined: not believed. A notice above the token of our last refusal
 * was made after that refusal was computed, hence after it was sent. Dating a notice by its arrival lets a late
 * notice of an expired grant look fresh (seen: 5 overlaps in 87 grants).
 */
export function dateNotice(refusal: Refusal | undefined, noticeToken: number): number | undefined {
  return refusal && noticeToken > refusal.token ? refusal.sentMs : undefined;
}

/** The number a hand-over inside the process takes; undefined: the block is used up. */
export function nextInBlock(token: number, lastToken: number): number | undefined {
  return token < lastToken ? token + 1 : undefined;
}

/** The rules in one place, so that a test can plant one broken rule and show that it is found. */
export interface LeaseRules {
  /** The rule itself does not look at the arrival; a planted one may. */
  readonly dateNotice: (refusal: Refusal | undefined, noticeToken: number, arrivedMs: number) => number | undefined;
  readonly decideAcquire: typeof decideAcquire;
  readonly decideBreak: typeof decideBreak;
  readonly decideClaim: typeof decideClaim;
  readonly decideLeave: typeof decideLeave;
  readonly decideRelease: typeof decideRelease;
  readonly decideRenew: typeof decideRenew;
  readonly nextInBlock: typeof nextInBlock;
}

export const leaseRules: LeaseRules = {
  dateNotice,
  decideAcquire,
  decideBreak,
  decideClaim,
  decideLeave,
  decideRelease,
  decideRenew,
  nextInBlock,
};

function liveHolders(record: LeaseRecord, nowUs: number): readonly Holder[] {
  return record.holders.filter((holder) => holder.endUs > nowUs);
}

function fits(live: readonly Holder[], share: Share | undefined): boolean {
  if (live.length === 0) return share === undefined || share.weight <= share.capacity;
  if (share === undefined) return false;
  let weight = share.weight;
  for (const holder of live) {
    if (holder.share?.capacity !== share.capacity) return false;
    weight += holder.share.weight;
  }
  return weight <= share.capacity;
}

/** A sharer must not overtake those in line while somebody holds, else a stream of readers starves a writer. */
function mayPass(line: readonly Waiter[], live: readonly Holder[], input: AcquireInput): boolean {
  return live.length === 0 || line.length === 0 || line[0]?.owner === input.owner;
}

function makeGrant(lastToken: number, who: Waiter, nowUs: number, endUs: number): { holder: Holder; numbers: Numbers } {
  // Sharers are not handed over inside a process, so they need no block.
  const numbers = nextNumbers(lastToken, nowUs, who.share ? 1 : limits.tokenBlock);
  return { numbers, holder: { ...waiterOf(who), token: numbers.lastToken, endUs } };
}

function grantToLine(record: LeaseRecord, acceptMs: number, nowUs: number): ReleaseDecision {
  let { token } = record;
  const holders = [...record.holders];
  const line = [...record.line];
  const heirs: Heir[] = [];
  for (let head = line[0]; head && fits(holders, head.share); head = line[0]) {
    line.shift();
    const { holder, numbers } = makeGrant(token, head, nowUs, nowUs + acceptMs * 1000);
    token = numbers.lastToken;
    holders.push(holder);
    heirs.push({ owner: head.owner, ...numbers });
  }
  return { record: { token, holders, line }, heirs };
}

function waiterOf(who: Waiter): Waiter {
  return who.share ? { owner: who.owner, share: who.share } : { owner: who.owner };
}

function without(line: readonly Waiter[], owner: string): readonly Waiter[] {
  return line.some((waiter) => waiter.owner === owner) ? line.filter((waiter) => waiter.owner !== owner) : line;
}
