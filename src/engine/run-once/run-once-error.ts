/** Why a run has no answer for the caller. That somebody else runs it, or has run it, is a value, not an error. */
export type RunOnceErrorCode =
  /** An argument is out of its bounds; nothing was sent. */
  | 'invalid-argument'
  /** The handler failed and its failure is the stored answer (`stored`). Thrown by the run and by every replay. */
  | 'failed'
  /** The handler's result cannot be stored: not JSON, or too large. Stored as the failure of the run. */
  | 'invalid-answer'
  /** The caller's signal ended the run; nothing was stored. */
  | 'aborted'
  /** The claim ended while the handler ran; nothing of it was stored. */
  | 'lost'
  /** The answer is stored, and the handler threw after that (`cause`). */
  | 'threw-after-completion'
  /** The store did not say whether it took the answer: ask again with the same key. */
  | 'unknown-outcome'
  /** From `resultOf`: somebody else runs it now; ask again after `retryAfterMs`. */
  | 'in-flight'
  /** From `resultOf`: the key belongs to another input. */
  | 'reused';

/** What is kept of an error that a handler threw. */
export interface StoredError {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number;
}

export interface RunOnceErrorOptions {
  readonly code: RunOnceErrorCode;
  /** Calling again with the same key and input can help. @default false */
  readonly retryable?: boolean;
  readonly key?: string;
  readonly stored?: StoredError;
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** The one error class of run-once; what the database itself throws is a `LeaseError`. */
export class RunOnceError extends Error {
  override readonly name = 'RunOnceError';
  readonly code: RunOnceErrorCode;
  readonly retryable: boolean;
  readonly key: string | undefined;
  /** With `failed`: what the handler threw, as it is stored. */
  readonly stored: StoredError | undefined;
  /** With `in-flight`. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: RunOnceErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.retryable = options.retryable ?? false;
    this.key = options.key;
    this.stored = options.stored;
    this.retryAfterMs = options.retryAfterMs;
  }
}
