import type { JobEndState } from '../job-state.ts';

/** How a run ended, as its worker saw it. */
export interface RunOutcome {
  readonly state: Exclude<JobEndState, 'SKIPPED'>;
  /** JSON text. */
  readonly result?: string;
  /** A word for programs. */
  readonly reason?: string;
  /** A sentence for people. */
  readonly error?: string;
  /** Seconds until the next attempt; null: none, whatever the definition allows. */
  readonly retryDelaySeconds?: number | null;
}
