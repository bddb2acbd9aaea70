import { LeaseError } from '../core/errors.ts';
import { nameOf } from '../core/grant-id.ts';
import type { AcquireOptions } from './acquire-options.ts';

export interface NotAcquired {
  readonly acquired: false;
  /** `held`: by somebody else, now; `timeout`: `waitMs` is over; `aborted`: by the caller's signal. */
  readonly reason: 'held' | 'timeout' | 'aborted';
  /** Name of the holder, where known. */
  readonly holder?: string;
  /** Until the holder's lease ends unless renewed, where known. */
  readonly retryAfterMs?: number;
}

/** What `withLease` throws instead of answering. */
export function notAcquiredError(key: string, outcome: NotAcquired, wanted: AcquireOptions): unknown {
  if (outcome.reason === 'aborted') return wanted.signal?.reason;
  const by = outcome.holder === undefined ? 'somebody else' : nameOf(outcome.holder);
  if (outcome.reason === 'timeout') {
    return new LeaseError(`"${key}" was not granted within ${wanted.waitMs} ms; ${by} holds it.`, {
      code: 'wait-timeout',
      retryable: true,
      key,
    });
  }
  return new LeaseError(`"${key}" is held by ${by}.`, { code: 'busy', retryable: true, key });
}
