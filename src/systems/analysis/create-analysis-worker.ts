/**
 * Does one analysis at a time for whoever delivers its id, however often it is delivered.
 *
 *   lock it (or say why not) → read it → analyse under heartbeat → write the result under owner and token
 *
 * The lease keeper holds the lock: it refreshes it, and it aborts the signal when the lock is lost or when our own
 * deadline passes, whichever comes first. Whether the result counts is decided by the write alone.
 */
import { platform as ambientPlatform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import type { Logger, Platform } from '../../core/ports.ts';
import { nextDelayMs } from '../../core/retry.ts';
import type { Lease } from '../../engine/lease.ts';
import { createLeases } from '../../engine/lease-keeper.ts';
import { type AnalysisWithLock, isFinished } from './analysis.ts';
import { analysisNotFound } from './analysis-error.ts';
import type { AnalysisRepo, FinishRequest } from './analysis-repo.ts';
import { checkId } from './lock-table.ts';

export interface AnalyzeContext {
  /** Aborted when the lock is lost: stop, the result would be refused. */
  readonly signal: AbortSignal;
  /** Refreshes the lock now, beside the heartbeat. False: it could not be refreshed. */
  heartbeat(): Promise<boolean>;
  /** Fencing number: send it along with everything that you write elsewhere. */
  readonly token: number;
}

export interface AnalysisWorkerOptions {
  readonly repo: AnalysisRepo;
  /**
   * The analysis itself. Its result must be JSON; it is stored with `READY`. A throw is stored as `FAILED`, for good:
   * try again inside where that can help.
   */
  readonly analyze: (analysis: AnalysisWithLock, context: AnalyzeContext) => Promise<unknown> | unknown;
  /** How long a lock lasts unless refreshed. @default 300 */
  readonly ttlSec?: number;
  /** Pause between refreshes; 60 to 120 for the default TTL. @default 90, or 0.3 × ttlSec if that is less */
  readonly heartbeatSec?: number;
  /** Shown to people as the owner of the lock. @default host and process id */
  readonly name?: string;
  /** @default silent */
  readonly logger?: Logger;
  /** @default the platform's */
  readonly platform?: Platform;
}

export type AnalysisOutcome =
  /** The result is stored. */
  | { readonly outcome: 'done' }
  /** The analysis failed, and that is stored. */
  | { readonly outcome: 'failed'; readonly reason: string }
  /** Nothing was done. With `locked`, somebody else is at it for up to `retryAfterMs` more. */
  | { readonly outcome: 'skipped'; readonly reason: 'already_finished' | 'locked'; readonly retryAfterMs?: number }
  /** The lock was lost on the way; nothing was stored. */
  | { readonly outcome: 'lost'; readonly reason: string; readonly retryAfterMs?: number };

export interface AnalysisWorker {
  /** Throws `not-found`, and `LeaseError` when the store cannot be reached. */
  handle(task: { readonly analysisId: string }): Promise<AnalysisOutcome>;
  /** Lets go of what is held: what is under way ends as `lost`. The repo stays open. */
  close(): Promise<void>;
}

/** A result that the store did not take is sent again this often. */
const finishAttempts = 5;

export function createAnalysisWorker(options: AnalysisWorkerOptions): AnalysisWorker {
  const { repo, analyze, ttlSec = 300, logger, name, platform = ambientPlatform } = options;
  const { heartbeatSec = Math.min(90, ttlSec * 0.3) } = options;
  const { clock, random } = platform;
  const leases = createLeases({
    store: repo.leases,
    ttlMs: ttlSec * 1000,
    retryPeriodMs: heartbeatSec * 1000,
    platform,
    ...(name !== undefined && { name }),
    onEvent(event) {
      if (event.type === 'release-failed') {
        const { key: analysisId, cause } = event;
        logger?.warn('an analysis lock was not released; it ends with its TTL', { analysisId, cause });
      }
      if (event.type === 'lost') {
        const { key: analysisId, token, reason } = event;
        logger?.warn('an analysis lock was lost', { analysisId, token, reason });
      }
    },
  });

  async function explainRefusal(analysisId: string, retryAfterMs: number | undefined): Promise<AnalysisOutcome> {
    const analysis = await repo.readAnalysis(analysisId);
    if (!analysis) throw analysisNotFound(analysisId);
    if (isFinished(analysis.status)) return { outcome: 'skipped', reason: 'already_finished' };
    return { outcome: 'skipped', reason: 'locked', ...(await restOfLock(analysisId, retryAfterMs)) };
  }

  /** When it is worth coming again. Not knowing it is no reason to fail. */
  async function restOfLock(analysisId: string, knownMs?: number): Promise<{ readonly retryAfterMs?: number }> {
    const retryAfterMs = knownMs ?? (await repo.lockRemainingMs(analysisId).catch(() => undefined));
    return retryAfterMs === undefined ? {} : { retryAfterMs };
  }

  async function lostOutcome(lease: Lease): Promise<AnalysisOutcome> {
    return { outcome: 'lost', reason: lease.lostReason?.kind ?? 'taken', ...(await restOfLock(lease.key)) };
  }

  async function work(analysisId: string, lease: Lease): Promise<AnalysisOutcome> {
    const analysis = await repo.readAnalysis(analysisId);
    if (!analysis) throw analysisNotFound(analysisId);
    const { signal, token, owner: lockOwner } = lease;
    const found = await run(() => analyze(analysis, { signal, token, heartbeat: () => lease.renew() }));
    // Not held any more: somebody else may be at it, and the write would most likely be refused.
    if (!lease.isHeld()) return lostOutcome(lease);
    const finish: FinishRequest = { analysisId, lockOwner, token, ...found };
    if (!(await sendResult(finish, lease))) return lostOutcome(lease);
    if (found.status === 'READY') return { outcome: 'done' };
    logger?.warn('an analysis failed, and that is stored', { analysisId, token, reason: found.error });
    return { outcome: 'failed', reason: found.error };
  }

  /** Sends it again while the store is silent: a repetition of a write that took effect is recognised. */
  async function sendResult(finish: FinishRequest, lease: Lease): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await repo.finishAnalysis(finish);
      } catch (error) {
        const again = error instanceof LeaseError && error.retryable && attempt < finishAttempts && lease.isHeld();
        if (!again) throw error;
        const delayMs = nextDelayMs({ attempt, baseMs: 100, maxMs: 5_000, fraction: random.fraction() });
        await new Promise<void>((resolve) => clock.after(delayMs, resolve));
      }
    }
  }

  return {
    async handle({ analysisId }) {
      checkId(analysisId);
      const outcome = await leases.tryAcquire(analysisId);
      if (!outcome.acquired) return explainRefusal(analysisId, outcome.retryAfterMs);
      const { lease } = outcome;
      try {
        return await work(analysisId, lease);
      } finally {
        // After a result the lock is cleared already; otherwise the next delivery need not wait for the TTL.
        await lease.release();
      }
    },
    close: () => leases.close(),
  };
}

type Found =
  | { readonly status: 'READY'; readonly result: unknown }
  | { readonly status: 'FAILED'; readonly error: string };

async function run(analyze: () => Promise<unknown> | unknown): Promise<Found> {
  try {
    const result = (await analyze()) ?? null;
    if (JSON.stringify(result) !== undefined) return { status: 'READY', result };
    return { status: 'FAILED', error: 'The result is not JSON.' };
  } catch (error) {
    return { status: 'FAILED', error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}
