/**
 * Time limits for calls to the store, with one timer for all of them. A timer of its own for every call would be set
 * and cancelled twice per acquire and release, for something that almost never happens.
 */
import type { Clock, Timer } from '../../core/ports.ts';
import type { Limited } from './time-limit.ts';

export interface CallWatch {
  /** Waits for an answer, but not for ever. A late answer is dropped here; the caller may still watch it. */
  limit<T>(asked: Promise<T>, limitMs: number): Promise<Limited<T>>;
  stop(): void;
}

interface Pending {
  readonly endMs: number;
  readonly giveUp: () => void;
}

export function createCallWatch(clock: Clock): CallWatch {
  const pending = new Set<Pending>();
  let timer: Timer | undefined;
  let fireAtMs = Number.POSITIVE_INFINITY;

  const schedule = (endMs: number): void => {
    if (endMs >= fireAtMs) return;
    timer?.cancel();
    fireAtMs = endMs;
    timer = clock.after(Math.max(1, Math.ceil(endMs - clock.monotonicMs())), look, { background: true });
  };

  function look(): void {
    timer = undefined;
    fireAtMs = Number.POSITIVE_INFINITY;
    const nowMs = clock.monotonicMs();
    for (const call of pending) {
      if (call.endMs > nowMs) continue;
      pending.delete(call);
      call.giveUp();
    }
    for (const { endMs } of pending) schedule(endMs);
  }

  return {
    limit<T>(asked: Promise<T>, limitMs: number): Promise<Limited<T>> {
      return new Promise((resolve) => {
        const call: Pending = {
          endMs: clock.monotonicMs() + limitMs,
          giveUp: () => resolve({ kind: 'timed-out' }),
        };
        pending.add(call);
        schedule(call.endMs);
        asked.then(
          (value) => {
            pending.delete(call);
            resolve({ kind: 'answered', value });
          },
          (error: unknown) => {
            pending.delete(call);
            resolve({ kind: 'failed', error });
          },
        );
      });
    },
    stop() {
      timer?.cancel();
      timer = undefined;
      fireAtMs = Number.POSITIVE_INFINITY;
    },
  };
}
