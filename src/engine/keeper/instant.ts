import type { Clock } from '../../core/ports.ts';

/** One moment on both clocks: the monotonic one stands still while a laptop sleeps, the wall clock can be set. */
export interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function instantNow(clock: Clock): Instant {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
}
