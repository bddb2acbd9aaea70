/** One timer for the time-outs of all runs: most runs end long before theirs, and a timer for each would cost. */
import type { Clock, Timer } from '../../../core/ports.ts';

export interface Deadlines {
  /** Somebody has a deadline then. */
  note(atMs: number): void;
  stop(): void;
}

/** `check` handles what is due and tells the next deadline, or Infinity. */
export function createDeadlines(clock: Clock, check: (nowMs: number) => number): Deadlines {
  let timer: Timer | undefined;
  let atMs = Number.POSITIVE_INFINITY;
  /** Longer timers overflow; the check then finds nothing and sets the next. */
  const longestMs = 600_000;

  const arm = (nextMs: number): void => {
    timer?.cancel();
    atMs = nextMs;
    if (nextMs === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.min(Math.max(nextMs - clock.monotonicMs(), 0), longestMs);
    timer = clock.after(
      Math.ceil(delayMs),
      () => {
        atMs = Number.POSITIVE_INFINITY;
        arm(check(clock.monotonicMs()));
      },
      { background: true },
    );
  };

  return {
    note(nextMs) {
      if (nextMs < atMs) arm(nextMs);
    },
    stop() {
      timer?.cancel();
    },
  };
}
