import { RunOnceError } from './run-once-error.ts';

export type RunOnceOutcome<T> =
  /** This call ran the handler and its answer is stored. */
  | { readonly outcome: 'ran'; readonly result: T }
  /** The answer was there already, or another has stored one first. */
  | { readonly outcome: 'replayed'; readonly result: T }
  /** Somebody else runs it now. */
  | { readonly outcome: 'in-flight'; readonly retryAfterMs: number }
  /** The key belongs to another input. */
  | { readonly outcome: 'reused' };

/** The result, for callers to whom everything else is an exception. */
export function resultOf<T>(outcome: RunOnceOutcome<T>): T {
  switch (outcome.outcome) {
    case 'ran':
    case 'replayed':
      return outcome.result;
    case 'in-flight':
      throw new RunOnceError(`Somebody else runs this now; ask again in ${outcome.retryAfterMs} ms.`, {
        code: 'in-flight',
        retryable: true,
        retryAfterMs: outcome.retryAfterMs,
      });
    case 'reused':
      throw new RunOnceError('The key was used before with another input; take a new key for a new request.', {
        code: 'reused',
      });
  }
}
