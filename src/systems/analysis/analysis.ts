/** What an analysis is: its state, its lock, its result. */

/** `READY` and `FAILED` are final. Anything else, also a word of your own, is work that is not done. */
export const AnalysisStatus = { PENDING: 'PENDING', READY: 'READY', FAILED: 'FAILED' } as const;
export type AnalysisStatus = (typeof AnalysisStatus)[keyof typeof AnalysisStatus];

/** The lock, as it stands in a document. Null is the same as absent. */
export interface AnalysisLockFields {
  readonly lockOwner?: string | null;
  /** ISO 8601. */
  readonly lockExpiresAt?: string | null;
  /** ISO 8601. When the owner was last heard of. */
  readonly lockHeartbeatAt?: string | null;
  /** Fencing number of the last grant; it stays when the lock is given back. */
  readonly lockToken?: number;
}

export interface Analysis {
  readonly analysisId: string;
  readonly status: string;
  /** What is to be analysed. */
  readonly input: unknown;
  /** Set with `READY`. */
  readonly result?: unknown;
  /** Set with `FAILED`. */
  readonly error?: string;
  /** Fencing number of whoever wrote the result. */
  readonly resultToken?: number;
}

export type AnalysisWithLock = Analysis & AnalysisLockFields;

export function isFinished(status: unknown): boolean {
  return status === AnalysisStatus.READY || status === AnalysisStatus.FAILED;
}
