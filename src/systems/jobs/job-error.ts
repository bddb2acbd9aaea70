/** Why an operation of jobs could not do its work. Expected outcomes (too late to cancel) are values, not errors. */
export type JobErrorCode =
  /** An argument is out of its bounds; nothing was sent. */
  | 'invalid-argument'
  /** No definition of that name here, or in the database. */
  | 'unknown-job'
  /** The payload does not fit the definition's schema, is not JSON, or is too large; nothing was stored. */
  | 'invalid-payload'
  /** The schedule cannot be understood, or never comes due. */
  | 'invalid-schedule'
  /** The run is no longer ours: it was ended, or given to another. */
  | 'not-owner'
  /** A handler stopped because it was told to: cancel, time-out, shutdown, or a lost run. */
  | 'aborted'
  /** These jobs, or this worker, were closed. */
  | 'closed'
  /** A handler threw, and its error said no more. */
  | 'handler-failed'
  /** The program of a command is not on this worker, or may not be executed. */
  | 'command-not-found'
  /** A command could not be started, ended with another exit code than 0, or by a signal. */
  | 'command-failed'
  /** An http target is not on the allow-list, or its name leads to an address that is not. */
  | 'target-forbidden'
  /** An http target could not be reached, did not answer in time, or answered with a failure. */
  | 'target-failed'
  /** An archived log is not where its reference says. */
  | 'log-missing'
  /** A log changed while it was being archived; a later round sees how it is. */
  | 'log-changed'
  /** An archived log does not hold what was written. */
  | 'log-corrupt'
  /** A search was ended by the database after its time; a narrower one will do. */
  | 'search-too-slow'
  /** What is asked for needs something that was not configured. */
  | 'unsupported'
  /** The database did not say whether it took the change: read again. */
  | 'unknown-outcome';

export interface JobErrorOptions {
  readonly code: JobErrorCode;
  /** Trying again can help. For an error thrown by a handler: the run may have its next attempt. @default false */
  readonly retryable?: boolean;
  /** Name of the job. */
  readonly job?: string;
  readonly runId?: number;
  /** With an error thrown by a handler: how long to wait before the next attempt. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** The one error class of jobs; what the database itself throws is a `LeaseError`. */
export class JobError extends Error {
  override readonly name = 'JobError';
  readonly code: JobErrorCode;
  readonly retryable: boolean;
  readonly job: string | undefined;
  readonly runId: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: JobErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.retryable = options.retryable ?? false;
    this.job = options.job;
    this.runId = options.runId;
    this.retryAfterMs = options.retryAfterMs;
  }
}
