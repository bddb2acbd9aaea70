import type { SqlTransaction } from '../sql-transaction.ts';

/** An instant: milliseconds since 1970, ISO 8601 with an offset, or a date object. */
export type Instant = number | string | { getTime(): number };

export interface RunOptions {
  /** Not before this. @default now */
  readonly scheduledFor?: Instant;
  /** Lower runs first. @default the definition's */
  readonly priority?: number;
  /** One run of this key at a time, over all jobs, given out by the leader. 1 to 500 characters. */
  readonly concurrencyKey?: string;
  /** A key seen before makes no second run, even when the first has ended. 1 to 500 characters. */
  readonly idempotencyKey?: string;
  /** With a rate limit: which bucket. @default one for the job */
  readonly rateKey?: string;
}

export interface EnqueueOptions extends RunOptions {
  /** Your transaction: the run exists if and only if it commits. */
  readonly tx?: SqlTransaction;
}

export interface EnqueueItem<Payload = unknown> extends RunOptions {
  readonly job: string;
  readonly payload: Payload;
}

export interface Enqueued {
  /** Of the new run, or of the one that has the idempotency key. */
  readonly runId: number;
  /** False: the idempotency key was seen before. */
  readonly created: boolean;
}

export interface EnqueuedMany {
  readonly created: number;
  /** Those whose idempotency key was seen before. */
  readonly duplicates: number;
}
