/**
 * What every repo has in common, over two primitives of its own: read an analysis, and change its lock in one
 * transaction. The decisions are in analysis-lock.ts.
 */
import { LeaseError } from '../../core/errors.ts';
import { checkKey } from '../../core/lease-arguments.ts';
import { limits } from '../../core/limits.ts';
import type { LeaseStore, Logger, LossCause } from '../../core/ports.ts';
import { isFinished } from './analysis.ts';
import { AnalysisError, analysisNotFound } from './analysis-error.ts';
import {
  type AnalysisLock,
  decideLock,
  decideRefresh,
  decideUnlock,
  endOf,
  isMalformed,
  type LockAttempt,
  type LockDecision,
} from './analysis-lock.ts';
import type { AnalysisEvent, AnalysisRepo, LockTokenOption } from './analysis-repo.ts';

/** An analysis as the decisions see it, at the store's clock. */
export interface LockedAnalysis {
  readonly status: unknown;
  readonly lock: AnalysisLock;
  readonly nowUs: number;
}

export interface LockTableOptions {
  readonly name: string;
  /** Undefined: there is no such analysis. */
  read(analysisId: string): Promise<LockedAnalysis | undefined>;
  /** Reads, decides and writes the lock in one transaction. `change` may be called again; undefined: write nothing. */
  change(analysisId: string, change: (analysis: LockedAnalysis | undefined) => AnalysisLock | undefined): Promise<void>;
  readonly onEvent: ((event: AnalysisEvent) => void) | undefined;
  readonly logger: Logger | undefined;
}

type LockFunctions = Pick<
  AnalysisRepo,
  'acquireAnalysisLock' | 'releaseAnalysisLock' | 'refreshAnalysisLock' | 'lockRemainingMs' | 'leases'
>;

const defaultTtlSec = 300;
/** Tokens remembered for callers that name only themselves. */
const grantsMax = 10_000;

type Attempted = 'missing' | 'finished' | LockDecision;

export function lockTable(options: LockTableOptions): LockFunctions {
  const { name, read, change, logger } = options;
  const granted = new Map<string, number>();
  const grantName = (analysisId: string, owner: string): string => JSON.stringify([analysisId, owner]);
  const remember = (analysisId: string, owner: string, token: number): void => {
    granted.set(grantName(analysisId, owner), token);
    if (granted.size > grantsMax) granted.delete(granted.keys().next().value ?? '');
  };
  const tokenFor = (analysisId: string, owner: string, { token }: LockTokenOption): number | undefined =>
    token ?? granted.get(grantName(analysisId, owner));

  const tell = (event: AnalysisEvent): void => {
    const { type, ...fields } = event;
    if (type === 'malformed-lock') logger?.warn('the end of an analysis lock cannot be read', fields);
    else logger?.info('an analysis lock that had ended was taken over', fields);
    try {
      options.onEvent?.(event);
    } catch (cause) {
      logger?.error('a listener for analysis events failed', { cause });
    }
  };

  async function attempt(analysisId: string, wanted: LockAttempt): Promise<Attempted> {
    let outcome: Attempted = 'missing';
    let malformed: AnalysisEvent | undefined;
    const decide = (analysis: LockedAnalysis | undefined): AnalysisLock | undefined => {
      malformed = undefined;
      outcome = 'missing';
      if (!analysis) return undefined;
      if (isFinished(analysis.status)) {
        outcome = 'finished';
        return undefined;
      }
      const { lock, nowUs } = analysis;
      const decision = decideLock(lock, wanted, nowUs);
      if (isMalformed(lock)) {
        const expired = endOf(lock, wanted.ttlMs) <= nowUs;
        malformed = { type: 'malformed-lock', analysisId, owner: lock.owner ?? '', expired };
      }
      outcome = decision;
      return decision.granted ? decision.lock : undefined;
    };
    // A refusal needs no transaction: the read itself is one moment at the store's clock.
    if (decide(await read(analysisId))) await change(analysisId, decide);
    const decided = outcome as Attempted;
    if (malformed) tell(malformed);
    if (typeof decided === 'object' && decided.granted && decided.takenFrom !== undefined) {
      const { takenFrom: from, lock } = decided;
      tell({ type: 'taken-over', analysisId, from, by: wanted.owner, token: lock.token });
    }
    return decided;
  }

  async function refresh(analysisId: string, owner: string, token: number, ttlMs: number): Promise<boolean> {
    let renewed = false;
    await change(analysisId, (analysis) => {
      renewed = false;
      if (!analysis || isFinished(analysis.status)) return undefined;
      const lock = decideRefresh(analysis.lock, { owner, token, ttlMs }, analysis.nowUs);
      renewed = lock !== undefined;
      return lock;
    });
    return renewed;
  }

  async function unlock(analysisId: string, owner: string, token: number | null): Promise<boolean> {
    let released = false;
    await change(analysisId, (analysis) => {
      const lock = analysis && decideUnlock(analysis.lock, { owner, token }, analysis.nowUs);
      released = lock !== undefined;
      return lock;
    });
    return released;
  }

  return {
    async acquireAnalysisLock(analysisId, lockOwner, ttlSec = defaultTtlSec, { token } = {}) {
      checkId(analysisId);
      checkOwner(lockOwner);
      const outcome = await attempt(analysisId, { owner: lockOwner, ttlMs: ttlMsOf(ttlSec), token });
      if (outcome === 'missing') throw analysisNotFound(analysisId);
      if (outcome === 'finished') return { acquired: false, reason: 'already_finished' };
      if (!outcome.granted) return { acquired: false, reason: 'locked', retryAfterMs: outcome.remainingMs };
      remember(analysisId, lockOwner, outcome.lock.token);
      return {
        acquired: true,
        token: outcome.lock.token,
        ...(outcome.takenFrom !== undefined && { takenOverFrom: outcome.takenFrom }),
      };
    },

    async releaseAnalysisLock(analysisId, lockOwner, tokenOption = {}) {
      checkId(analysisId);
      checkOwner(lockOwner);
      const token = tokenFor(analysisId, lockOwner, tokenOption);
      granted.delete(grantName(analysisId, lockOwner));
      if (token === undefined) {
        logger?.warn('an analysis lock was not released: no token is known for this owner', { analysisId, lockOwner });
        return;
      }
      try {
        await unlock(analysisId, lockOwner, token);
      } catch (cause) {
        logger?.warn('an analysis lock was not released; it ends with its TTL', { analysisId, lockOwner, cause });
      }
    },

    async refreshAnalysisLock(analysisId, lockOwner, ttlSec = defaultTtlSec, tokenOption = {}) {
      checkId(analysisId);
      checkOwner(lockOwner);
      const token = tokenFor(analysisId, lockOwner, tokenOption);
      if (token !== undefined && (await refresh(analysisId, lockOwner, token, ttlMsOf(ttlSec)))) return;
      granted.delete(grantName(analysisId, lockOwner));
      throw new AnalysisError(
        `The lock of analysis "${analysisId}" is no longer held by "${lockOwner}": stop the work, its result will be refused.`,
        { code: 'lease-lost', analysisId },
      );
    },

    async lockRemainingMs(analysisId) {
      checkId(analysisId);
      const { lock, nowUs = 0 } = (await read(analysisId)) ?? {};
      if (lock?.owner === undefined || lock.endUs === undefined || lock.endUs <= nowUs) return undefined;
      return (lock.endUs - nowUs) / 1000;
    },

    leases: leaseView({ name, read, attempt, refresh, unlock }),
  };
}

interface LeaseViewParts {
  readonly name: string;
  readonly read: LockTableOptions['read'];
  attempt(analysisId: string, wanted: LockAttempt): Promise<Attempted>;
  refresh(analysisId: string, owner: string, token: number, ttlMs: number): Promise<boolean>;
  unlock(analysisId: string, owner: string, token: number | null): Promise<boolean>;
}

/**
 * The locks as a lease store. An analysis that is missing or finished is refused like one that is locked, but without
 * a holder; whoever wants to know why reads it.
 */
function leaseView({ name, read, attempt, refresh, unlock }: LeaseViewParts): LeaseStore {
  const no = (reason: string): { readonly no: string } => ({ no: reason });
  const unsupported = (what: string): LeaseError =>
    new LeaseError(`The lock of an analysis has no ${what}.`, { code: 'unsupported' });
  return {
    name: `${name} analyses`,
    capabilities: {
      line: no('A task queue calls again; nobody stands in line for an analysis.'),
      shared: no('An analysis has one worker.'),
      counted: no('An analysis has one worker.'),
      several: no('A task is about one analysis.'),
      fences: no('The analysis is its own fence: results are written only under its lockToken.'),
      durable: true,
      network: true,
    },
    async acquire({ key, owner, ttlMs, share }) {
      if (share) throw unsupported('shares');
      const outcome = await attempt(key, { owner, ttlMs: Math.ceil(ttlMs), repeats: true });
      // One number per grant: the one that stands in the analysis and that results are compared with.
      if (typeof outcome === 'object' && outcome.granted) {
        const { token } = outcome.lock;
        return { granted: true, token, lastToken: token };
      }
      if (typeof outcome === 'string') return { granted: false, token: Number.MAX_SAFE_INTEGER, inLine: false };
      const { holder, remainingMs } = outcome;
      return { granted: false, token: Number.MAX_SAFE_INTEGER, inLine: false, holder, remainingMs };
    },
    async renew(requests) {
      const answers = await Promise.allSettled(
        requests.map(({ key, owner, token, ttlMs }) => refresh(key, owner, token, Math.ceil(ttlMs))),
      );
      // One that was not answered leaves all in doubt; those that were answered are asked again, which does no harm.
      return answers.map((answer) => {
        if (answer.status === 'rejected') throw answer.reason;
        return answer.value;
      });
    },
    release: ({ key, owner, token }) => unlock(key, owner, token),
    async explainLoss({ key, owner }): Promise<LossCause> {
      const analysis = await read(key);
      const holder = analysis?.lock.owner;
      return holder !== undefined && holder !== owner ? { kind: 'taken', holder } : { kind: 'expired' };
    },
    list: () => Promise.reject(unsupported('list; ask your database')),
    leave: async () => false,
    acquireAll: () => Promise.reject(unsupported('several keys')),
    breakLease: () => Promise.reject(unsupported('break; clear its lock fields, or wait for its TTL')),
    claim: () => Promise.reject(unsupported('fence of its own')),
    subscribe: () => Promise.reject(unsupported('notices')),
    // The repo stays open: it belongs to whoever made it.
    close: async () => {},
  };
}

export function checkId(analysisId: unknown): asserts analysisId is string {
  try {
    checkKey(analysisId, 'analysis id');
  } catch (cause) {
    throw new AnalysisError(cause instanceof Error ? cause.message : String(cause), {
      code: 'invalid-argument',
      cause,
    });
  }
}

function checkOwner(owner: unknown): void {
  if (typeof owner === 'string' && owner.length > 0 && owner.length <= 256) return;
  throw new AnalysisError('lockOwner must be a text of 1 to 256 characters, new for each delivery.', {
    code: 'invalid-argument',
  });
}

function ttlMsOf(ttlSec: number): number {
  const ttlMs = ttlSec * 1000;
  if (Number.isFinite(ttlMs) && ttlMs >= limits.ttlMsMin && ttlMs <= limits.ttlMsMax) return Math.ceil(ttlMs);
  throw new AnalysisError(
    `ttlSec must be a number of seconds from ${limits.ttlMsMin / 1000} to ${limits.ttlMsMax / 1000}, got ${ttlSec}.`,
    { code: 'invalid-argument' },
  );
}
