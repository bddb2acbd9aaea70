/**
 * One run in this process, and what its handler gets. A class for once: a worker makes a hundred thousand of these a
 * second, and whatever a handler does not ask for (its signal above all) is not made.
 */
import { JobError } from '../job-error.ts';
import type { JobContext, StartedRun } from '../job-handler.ts';
import type { SqlTransaction } from '../sql-transaction.ts';
import type { ClaimedRun } from './claimed-run.ts';

/** Why a run was told to stop. */
export type StopCause = 'cancel' | 'cut-off' | 'lost' | 'shutdown' | 'timeout';

/** What a handler's calls need of the worker. */
export interface RunServices {
  log(run: ActiveRun, line: string): void;
  flushLog(): Promise<void>;
  progress(run: ActiveRun, fraction: number): void;
  assertOwner(run: ActiveRun): Promise<void>;
  finishIn(run: ActiveRun, transaction: SqlTransaction, result: unknown): Promise<void>;
}

export class ActiveRun implements JobContext {
  readonly claimed: ClaimedRun;
  readonly job: string;
  /** The worker id under which it was started; a worker that rejoins has another. */
  readonly workerId: number;
  readonly timeoutMs: number;
  payload: unknown;
  /** By the monotonic clock; 0: waits for a free slot. */
  startedMs = 0;
  /** Told to stop; the first cause counts. */
  stopped: StopCause | undefined;
  /** When the handler that was told to stop is given up. */
  graceEndsMs = Number.POSITIVE_INFINITY;
  /** Nothing more comes from the handler that matters. */
  settled = false;
  /** `finishIn` has put the end into the handler's transaction. */
  finishing = false;
  readonly #services: RunServices;
  #controller: AbortController | undefined;

  constructor(claimed: ClaimedRun, job: string, workerId: number, timeoutMs: number, services: RunServices) {
    this.claimed = claimed;
    this.job = job;
    this.workerId = workerId;
    this.timeoutMs = timeoutMs;
    this.payload = claimed.payload;
    this.#services = services;
  }

  get id(): number {
    return this.claimed.id;
  }

  get run(): StartedRun {
    const { id, attempt, due_ms: scheduledForMs } = this.claimed;
    return { id, job: this.job, attempt, scheduledForMs };
  }

  get startToken(): number {
    return this.claimed.start_token;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.stopped && !this.#controller.signal.aborted) this.#controller.abort(stopError(this, this.stopped));
    return this.#controller.signal;
  }

  // Made when they are asked for, and bound, so that a handler may take its context apart.
  get log(): JobContext['log'] {
    return (line) => this.#services.log(this, line);
  }

  get flushLog(): JobContext['flushLog'] {
    return () => this.#services.flushLog();
  }

  get progress(): JobContext['progress'] {
    return (fraction) => this.#services.progress(this, fraction);
  }

  get assertOwner(): JobContext['assertOwner'] {
    return () => this.#services.assertOwner(this);
  }

  get finishIn(): JobContext['finishIn'] {
    return (transaction, result) => this.#services.finishIn(this, transaction, result);
  }

  /** Tells the handler; false: it was told before. */
  stop(cause: StopCause): boolean {
    if (this.stopped) return false;
    this.stopped = cause;
    this.#controller?.abort(stopError(this, cause));
    return true;
  }
}

function stopError(run: ActiveRun, cause: StopCause): JobError {
  const why = {
    cancel: 'a cancel was asked for',
    'cut-off': 'its worker cannot confirm that it still owns it',
    lost: 'it is no longer this worker’s',
    shutdown: 'its worker is stopping',
    timeout: `it ran longer than ${run.timeoutMs / 1_000} s`,
  }[cause];
  return new JobError(`Run ${run.id} of "${run.job}" must stop: ${why}.`, {
    code: 'aborted',
    job: run.job,
    runId: run.id,
  });
}
