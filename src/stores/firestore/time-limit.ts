import { LeaseError } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';
import { explainFirestoreError } from './firestore-errors.ts';

/**
 * The answer, or `store-unavailable` when `withinMs` is over: the SDK itself waits for a minute and more. The request is
 * not recalled, so a write may still take effect; what it says later is heard by nobody.
 */
export function timeLimit<T>(clock: Pick<Clock, 'after'>, withinMs: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(
      Math.max(0, withinMs),
      () =>
        reject(
          new LeaseError('Firestore did not answer in time; it is not known whether the write took effect.', {
            code: 'store-unavailable',
            retryable: true,
          }),
        ),
      { background: true },
    );
    answer.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** The same, with what the SDK threw explained. */
export function explained<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw explainFirestoreError(error);
  });
}
