import type { Clock } from '../../core/ports.ts';

export type Limited<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'timed-out' };

/** Waits for an answer, but not for ever. A late answer or error is dropped here; the caller may still watch it. */
export function withTimeLimit<T>(clock: Clock, asked: Promise<T>, limitMs: number): Promise<Limited<T>> {
  return new Promise((resolve) => {
    const timer = clock.after(limitMs, () => resolve({ kind: 'timed-out' }));
    asked.then(
      (value) => {
        timer.cancel();
        resolve({ kind: 'answered', value });
      },
      (error: unknown) => {
        timer.cancel();
        resolve({ kind: 'failed', error });
      },
    );
  });
}
