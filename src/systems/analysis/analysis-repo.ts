import type { LeaseStore } from '../../core/ports.ts';
import type { AnalysisStatus, AnalysisWithLock } from './analysis.ts';

export type AcquireAnalysisLockReply =
  | {
      readonly acquired: true;
      readonly reason?: undefined;
      /** Fencing number of this grant. */
      readonly token: number;
      /** Whose lock had ended without being given back. */
      readonly takenOverFrom?: string;
    }
  | {
      readonly acquired: false;
      readonly reason: 'already_finished' | 'locked';
      /** With `locked`: until the lock ends unless it is refreshed. */
      readonly retryAfterMs?: number;
    };

/** The token of the grant that is meant; without it the one that this repo was granted for this id and owner. */
export interface LockTokenOption {
  readonly token?: number;
}

export interface FinishRequest {
  readonly analysisId: string;
  readonly lockOwner: string;
  readonly token: number;
  readonly status: AnalysisStatus & ('READY' | 'FAILED');
  /** With `READY`. Must be JSON. */
  readonly result?: unknown;
  /** With `FAILED`. */
  readonly error?: string;
}

export type AnalysisEvent =
  | {
      readonly type: 'taken-over';
      readonly analysisId: string;
      readonly from: string;
      readonly by: string;
      readonly token: number;
    }
  /** The end of a lock could not be read; `expired` says what it was taken for. */
  | { readonly type: 'malformed-lock'; readonly analysisId: string; readonly owner: string; readonly expired: boolean };

/** Analyses and their locks. "Now" is the store's clock throughout. */
export interface AnalysisRepo {
  readonly name: string;
  /** Locks the analysis for `ttlSec`. Throws `not-found` where there is none. @default ttlSec 300 */
  acquireAnalysisLock(
    analysisId: string,
    lockOwner: string,
    ttlSec?: number,
    options?: LockTokenOption,
  ): Promise<AcquireAnalysisLockReply>;
  /** Clears the lock if it is this owner's. A failure is a warning in the log: the lock ends with its TTL. */
  releaseAnalysisLock(analysisId: string, lockOwner: string, options?: LockTokenOption): Promise<void>;
  /** Extends the lock. Throws `lease-lost` to a former owner. @default ttlSec 300 */
  refreshAnalysisLock(analysisId: string, lockOwner: string, ttlSec?: number, options?: LockTokenOption): Promise<void>;
  /** How long the lock lasts unless refreshed, by the store's clock. Undefined: it is not locked. */
  lockRemainingMs(analysisId: string): Promise<number | undefined>;
  /** Adds an analysis that is to be done. Throws `already-exists`. */
  createAnalysis(analysisId: string, input?: unknown): Promise<void>;
  /** Undefined: there is none. */
  readAnalysis(analysisId: string): Promise<AnalysisWithLock | undefined>;
  /**
   * Writes the result and clears the lock in one transaction, if owner and token still hold it. False: refused. A
   * repetition of a write that took effect is true again.
   */
  finishAnalysis(request: FinishRequest): Promise<boolean>;
  /** The same locks as leases, for the lease keeper: the key is the id of the analysis. */
  readonly leases: LeaseStore;
}
