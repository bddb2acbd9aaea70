import { LeaseError } from '../../core/errors.ts';
import type { Platform } from '../../core/ports.ts';
import { decideRetry } from '../../core/retry.ts';

/** About two seconds in all: enough for a fail-over of a connection, short beside the TTL of a claim. */
const patience = { baseMs: 100, maxMs: 1_000, maxAttempts: 5, jitter: 'equal' } as const;

/**
 * Repeats a call while the store cannot be reached. Only for calls that may be repeated although the first one took
 * effect: the claim names its owner, completion and reading name the claim.
 */
export async function retryStoreCall<T>(
  { clock, random }: Pick<Platform, 'clock' | 'random'>,
  call: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const retryable = error instanceof LeaseError && error.code === 'store-unavailable';
      const decision = decideRetry({ ...patience, attempt, retryable, fraction: random.fraction() });
      if (!decision.retry) throw error;
      await new Promise<void>((resolve) => void clock.after(decision.delayMs, resolve));
    }
  }
}
