/** What a handler's throw, or its being stopped, makes of the run. Pure. */
import { nextDelayMs } from '../../../core/retry.ts';
import { describeFailure } from '../handlers/describe-failure.ts';
import type { StoredDefinition } from '../job-definition.ts';
import type { StopCause } from './active-run.ts';
import type { RunOutcome } from './run-outcome.ts';

export interface FailedRun {
  /** What was thrown. */
  readonly error: unknown;
  readonly stopped: StopCause | undefined;
  readonly attempt: number;
  readonly definition: StoredDefinition;
  /** Chance, in [0, 1). */
  readonly fraction: number;
}

/** A throw while stopped is the answer to the stop, not a failure of its own. */
export function failureOutcome({ error: thrown, stopped, attempt, definition, fraction }: FailedRun): RunOutcome {
  const { reason, error, retryable, retryAfterMs } = describeFailure(thrown);
  const baseMs = definition.backoff_base_seconds * 1_000;
  const maxMs = Math.max(baseMs, definition.backoff_max_seconds * 1_000);
  const delayMs = nextDelayMs({ attempt, baseMs, maxMs, factor: definition.backoff_factor, jitter: 'equal', fraction });
  switch (stopped) {
    case 'cancel':
      return { state: 'CANCELED', reason: 'canceled', error };
    case 'timeout':
      return {
        state: 'TIMED_OUT',
        reason: 'timeout',
        error: `It ran longer than ${definition.timeout_seconds} s.`,
        retryDelaySeconds: delayMs / 1_000,
      };
    case 'cut-off':
      return { state: 'FAILED', reason: 'worker-cut-off', error, retryDelaySeconds: 0 };
    case 'shutdown':
      return { state: 'FAILED', reason: 'worker-stopped', error, retryDelaySeconds: 0 };
    default:
      return {
        state: 'FAILED',
        reason,
        error,
        retryDelaySeconds: retryable ? (retryAfterMs ?? delayMs) / 1_000 : null,
      };
  }
}
