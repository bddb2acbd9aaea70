import type { JobState } from './job-state.ts';

/** What made a run; a retry keeps what made the first attempt. */
export type JobTrigger = 'enqueue' | 'schedule' | 'event' | 'operator';

/** A run as readers see it, whether it is still under way or in the history. Times are milliseconds since 1970. */
export interface JobRun {
  readonly id: number;
  /** Name of the definition. */
  readonly job: string;
  readonly queue: string;
  readonly state: JobState;
  /** Raised by every transition, never by a flag. */
  readonly version: number;
  /** Goes on over retries and reassignments. */
  readonly attempt: number;
  readonly trigger: JobTrigger;
  /** Lower runs first. */
  readonly priority: number;
  /** Not before this. Of a retry: when it may run, see `dueAtMs`. */
  readonly scheduledForMs: number;
  /** The due time of a run that a schedule made. */
  readonly dueAtMs: number | null;
  readonly createdAtMs: number;
  readonly assignedAtMs: number | null;
  readonly startedAtMs: number | null;
  readonly finishedAtMs: number | null;
  /** Asked for; the worker ends the run. */
  readonly cancelRequestedAtMs: number | null;
  readonly workerId: number | null;
  readonly leaderEpoch: number | null;
  /** Ordered over all runs: a later start has a higher number. */
  readonly startToken: number | null;
  /** CONFIRMING: the worker is being asked; nobody reassigns the run before the deadline. */
  readonly continuation: 'NONE' | 'CONFIRMING';
  readonly continuationDeadlineAtMs: number | null;
  readonly concurrencyKey: string | null;
  readonly idempotencyKey: string | null;
  /** The run that this one repeats. */
  readonly retryOf: number | null;
  /** From 0 to 1, as the handler told. */
  readonly progress: number | null;
  readonly payload: unknown;
  readonly result: unknown;
  /** A word for programs: `worker-silent`, `timeout`, `handler-failed`, … */
  readonly reason: string | null;
  /** A sentence for people. */
  readonly error: string | null;
}
