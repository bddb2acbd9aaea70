import type { Clock } from '../../core/ports.ts';

/** Gives the event loop its turn, and the disk some time. */
export function pause(clock: Pick<Clock, 'after'>, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}
