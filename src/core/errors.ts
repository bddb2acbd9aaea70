/** Why a lease operation could not do its work. Expected outcomes (somebody else holds it) are values, not errors. */
export type LeaseErrorCode =
  /** An argument is out of its bounds; nothing was sent. */
  | 'invalid-argument'
  /** `withLease` was not granted the lease at once. */
  | 'busy'
  /** `withLease` was not granted the lease within its time limit. */
  | 'wait-timeout'
  /** The lease ended while the work was under way. */
  | 'lost'
  /** The same flow of control already holds this key; waiting would never end. */
  | 'reentry'
  /** The keeper or store was closed. */
  | 'closed'
  /** The store declares that it cannot do this. */
  | 'unsupported'
  /** The store did not answer or could not be reached; the outcome is unknown until it answers. */
  | 'store-unavailable'
  /** The store answered and said no for good: credentials, schema, permissions. */
  | 'store-refused'
  /** What the store holds cannot be understood; nothing was changed. */
  | 'store-corrupt'
  /** The database was made by a newer version. */
  | 'schema-newer'
  /** The data folder is in use by another process. */
  | 'in-use';

export interface LeaseErrorOptions {
  readonly code: LeaseErrorCode;
  /** Trying the same again later can help. */
  readonly retryable?: boolean;
  readonly key?: string;
  readonly cause?: unknown;
}

/** The one error class of leases and their stores. The message names the key, the state and what to do next. */
export class LeaseError extends Error {
  override readonly name = 'LeaseError';
  readonly code: LeaseErrorCode;
  readonly retryable: boolean;
  readonly key: string | undefined;

  constructor(message: string, options: LeaseErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.retryable = options.retryable ?? false;
    this.key = options.key;
  }
}
