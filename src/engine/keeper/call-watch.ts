/**
 * Time limits for calls to the store, with one timer for all of them. A timer of its own for every call would be set
 * and cancelled twice per acquire and release, for something that almost never happens.
 */
import { type Bagged, createBag, nowhere } from '../../core/bag.ts';
import type { Clock, Timer } from '../../core/ports.ts';
import type { Limited } from './time-limit.ts';

export interface CallWatch {
  /** Calls back once: when the store answers or fails, or at `endMs` by the monotonic clock. A late answer is dropped. */
  watch<T>(asked: Promise<T>, endMs: number, settle: (answer: Limited<T>) => void): void;
  /** The same as a promise. */
  limit<T>(asked: Promise<T>, limitMs: number): Promise<Limited<T>>;
  /** Resolves once no call is under way. */
  quiet(): Promise<void>;
  stop(): void;
}

interface Pending extends Bagged {
  readonly endMs: number;
  readonly giveUp: () => void;
}

export function createCallWatch(clock: Clock): CallWatch {
  const pending = createBag<Pending>();
  let onQuiet: (() => void)[] = [];
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
    for (const call of pending.items()) if (call.endMs <= nowMs) call.giveUp();
    for (const { endMs } of pending.items()) schedule(endMs);
  }

  function watch<T>(asked: Promise<T>, endMs: number, settle: (answer: Limited<T>) => void): void {
    const end = (answer: Limited<T>): void => {
      if (!pending.remove(call)) return;
      // It may well start the next call.
      settle(answer);
      if (pending.size() > 0) return;
      for (const say of onQuiet) say();
      onQuiet = [];
    };
    const call: Pending = { endMs, giveUp: () => end({ kind: 'timed-out' }), place: nowhere };
    pending.add(call);
    schedule(endMs);
    asked.then(
      (value) => end({ kind: 'answered', value }),
      (error: unknown) => end({ kind: 'failed', error }),
    );
  }

  return {
    watch,
    limit: (asked, limitMs) => new Promise((resolve) => watch(asked, clock.monotonicMs() + limitMs, resolve)),
    quiet: () => (pending.size() === 0 ? Promise.resolve() : new Promise((resolve) => onQuiet.push(resolve))),
    stop() {
      timer?.cancel();
      timer = undefined;
      fireAtMs = Number.POSITIVE_INFINITY;
    },
  };
}
