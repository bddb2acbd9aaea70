import type { SqlTransaction } from './sql-transaction.ts';

/** What a handler knows of the run it executes. */
export interface StartedRun {
  readonly id: number;
  /** Name of the definition. */
  readonly job: string;
  /** 1 for the first; goes on over retries and reassignments. */
  readonly attempt: number;
  /** The due time in milliseconds since 1970, for runs that a schedule made. */
  readonly scheduledForMs: number | null;
}

export interface JobContext<Payload = unknown> {
  readonly run: StartedRun;
  /** As the definition's schema gave it. */
  readonly payload: Payload;
  /** Aborted by a cancel, a time-out, a shutdown, or when the run is no longer ours. Stop then. */
  readonly signal: AbortSignal;
  /** Higher for every later start, over all runs: hand it to the outside as a fencing token. */
  readonly startToken: number;
  /** One line, or several, of the run's log. Never throws; kept in order. */
  log(line: string): void;
  /** Resolves when the lines so far are stored. A handler that logs much awaits it now and then: memory is bounded. */
  flushLog(): Promise<void>;
  /** How far it is, from 0 to 1. Written now and then, not with every call. */
  progress(fraction: number): void;
  /** Asks the database. Throws `JobError` with code `not-owner` when the run is no longer ours. */
  assertOwner(): Promise<void>;
  /**
   * Ends the run as SUCCEEDED inside your transaction: your writes and the finish commit together or not at all.
   * Throws `JobError` with code `not-owner` when the run is no longer ours; let it pass, so that all is undone.
   */
  finishIn(transaction: SqlTransaction, result?: unknown): Promise<void>;
}

/**
 * Does the work of a run. What it returns is stored as the result (JSON). A throw makes the run FAILED and, within
 * its retries, brings the next attempt, unless the error says `retryable: false`. `retryAfterMs` on an error is the
 * delay it asks for.
 */
export type JobHandler<Payload = unknown> = (context: JobContext<Payload>) => unknown;
