/** When to try again. Pure arithmetic: chance comes in as a fraction, time is left to the caller. */
import { LeaseError } from './errors.ts';

export interface Backoff {
  /** Delay after the first failure, before jitter. From 0. */
  readonly baseMs: number;
  /** No delay is longer. From `baseMs`. */
  readonly maxMs: number;
  /** Each delay is this many times the one before. From 1. @default 2 */
  readonly factor?: number;
  /**
   * How chance spreads callers that failed together. `full`: anywhere from 0 to the delay, spreads best; `equal`:
   * half is certain, so that nobody comes back at once; `none`: for schedules that people read.
   * @default 'full'
   */
  readonly jitter?: 'equal' | 'full' | 'none';
}

export interface DelayInput extends Backoff {
  /** How many attempts have failed. From 1. */
  readonly attempt: number;
  /** Chance, in [0, 1). Not used without jitter. */
  readonly fraction: number;
}

/** How long to wait before the next attempt. */
export function nextDelayMs(input: DelayInput): number {
  const { attempt, baseMs, maxMs, factor = 2, jitter = 'full', fraction } = input;
  check('attempt', attempt, 'a whole number from 1', Number.isInteger(attempt) && attempt >= 1);
  check('baseMs', baseMs, 'a finite number from 0', Number.isFinite(baseMs) && baseMs >= 0);
  check('maxMs', maxMs, 'a finite number from baseMs', Number.isFinite(maxMs) && maxMs >= baseMs);
  check('factor', factor, 'a finite number from 1', Number.isFinite(factor) && factor >= 1);
  check('fraction', fraction, 'a number from 0 to below 1', fraction >= 0 && fraction < 1);
  // Zero first: 0 × ∞ is not a number. An overflow to ∞ is cut to the maximum.
  const delayMs = baseMs === 0 ? 0 : Math.min(baseMs * factor ** (attempt - 1), maxMs);
  if (jitter === 'none') return delayMs;
  return jitter === 'equal' ? delayMs / 2 + (delayMs / 2) * fraction : delayMs * fraction;
}

export interface RetryInput extends DelayInput {
  /** Attempts in all, the first included. From 1. `Infinity`: no limit. */
  readonly maxAttempts: number;
  /** Trying again can help. */
  readonly retryable: boolean;
}

export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly reason: 'attempts-exhausted' | 'not-retryable' };

/** Whether to try again after `attempt` failures, and when. */
export function decideRetry(input: RetryInput): RetryDecision {
  const { maxAttempts } = input;
  check('maxAttempts', maxAttempts, 'a number from 1', maxAttempts >= 1);
  const delayMs = nextDelayMs(input);
  if (!input.retryable) return { retry: false, reason: 'not-retryable' };
  if (input.attempt >= maxAttempts) return { retry: false, reason: 'attempts-exhausted' };
  return { retry: true, delayMs };
}

function check(name: string, value: unknown, what: string, holds: boolean): void {
  if (holds) return;
  throw new LeaseError(`${name} of a retry must be ${what}, got ${String(value)}.`, { code: 'invalid-argument' });
}
