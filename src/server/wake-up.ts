import type { Clock } from '../core/ports.ts';

export interface WakeUp {
  /** Ends the present or, if nobody sleeps, the next sleep. */
  readonly wake: () => void;
  /** Sleeps until woken, at most this long. */
  within(maxMs: number): Promise<void>;
  close(): void;
}

/** A sleep that ends early: by a call of `wake`, or when one of the signals fires. */
export function createWakeUp(clock: Clock, signals: readonly AbortSignal[]): WakeUp {
  let woken = signals.some((signal) => signal.aborted);
  let end: (() => void) | undefined;
  const wake = (): void => {
    woken = true;
    end?.();
  };
  for (const signal of signals) signal.addEventListener('abort', wake);
  return {
    wake,
    async within(maxMs) {
      if (!woken) {
        await new Promise<void>((resolve) => {
          const timer = clock.after(maxMs, resolve);
          end = () => {
            timer.cancel();
            resolve();
          };
        });
      }
      end = undefined;
      woken = false;
    },
    close() {
      for (const signal of signals) signal.removeEventListener('abort', wake);
    },
  };
}
