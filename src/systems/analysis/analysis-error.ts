/** Why something of an analysis could not be done. That somebody else works on it is a value, not an error. */
export type AnalysisErrorCode =
  /** An argument is out of its bounds; nothing was sent. */
  | 'invalid-argument'
  /** There is no analysis of this id. */
  | 'not-found'
  /** There is one of this id already. */
  | 'already-exists'
  /** The lock is no longer held under this owner and token: stop the work. */
  | 'lease-lost'
  /** As a job: somebody else is at it, or the lock was lost on the way. Come again after `retryAfterMs`. */
  | 'unfinished';

/** The one error class of analyses; what a store itself throws is a `LeaseError`. */
export class AnalysisError extends Error {
  override readonly name = 'AnalysisError';
  readonly code: AnalysisErrorCode;
  readonly retryable: boolean;
  readonly analysisId: string | undefined;
  /** With `unfinished`. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    options: {
      readonly code: AnalysisErrorCode;
      readonly retryable?: boolean;
      readonly analysisId?: string;
      readonly retryAfterMs?: number;
      readonly cause?: unknown;
    },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.retryable = options.retryable ?? false;
    this.analysisId = options.analysisId;
    this.retryAfterMs = options.retryAfterMs;
  }
}

export function analysisNotFound(analysisId: string): AnalysisError {
  return new AnalysisError(`There is no analysis "${analysisId}"; create it before it is enqueued.`, {
    code: 'not-found',
    analysisId,
  });
}
