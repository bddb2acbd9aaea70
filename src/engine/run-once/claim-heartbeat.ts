/**
 * Keeps a claim alive while its handler runs, and tells the handler when it is over.
 *
 * A renewal is sent every quarter of the TTL, whether or not the last one was answered. The claim is over when the
 * store says so, or when no renewal sent within the last 0.8 TTL has succeeded: then another caller may soon take
 * over, and a store that hangs cannot tell. An answer counts from when its request was sent.
 */
import type { Clock } from '../../core/ports.ts';
import { RunOnceError } from './run-once-error.ts';

export interface ClaimHeartbeatOptions {
  readonly clock: Clock;
  readonly key: string;
  readonly ttlMs: number;
  /** When the claim was sent, on the monotonic clock. */
  readonly sentMs: number;
  /** False: the claim is over. */
  readonly renew: () => Promise<boolean>;
  /** The caller's own. */
  readonly signal: AbortSignal | undefined;
}

export interface ClaimHeartbeat {
  /** Aborted when the claim is lost, or by the caller's signal. */
  readonly signal: AbortSignal;
  isLost(): boolean;
  /** Until `resume`, a refused renewal is no news: the completion under way ends the claim, too. */
  pause(): void;
  resume(): void;
  stop(): void;
}

export function claimHeartbeat(options: ClaimHeartbeatOptions): ClaimHeartbeat {
  const { clock, key, ttlMs, renew } = options;
  const controller = new AbortController();
  let goodSinceMs = options.sentMs;
  let lost = false;
  let paused = false;
  let stopped = false;

  const abortWithCaller = (): void => controller.abort(options.signal?.reason);
  const lose = (why: string, cause?: unknown): void => {
    if (stopped || lost) return;
    lost = true;
    controller.abort(
      new RunOnceError(`The claim on "${key}" is over: ${why}. Stop; the run belongs to whoever claims it next.`, {
        code: 'lost',
        retryable: true,
        key,
        cause,
      }),
    );
  };
  let failure: unknown;
  const send = async (): Promise<void> => {
    const sentMs = clock.monotonicMs();
    try {
      if (await renew()) goodSinceMs = Math.max(goodSinceMs, sentMs);
      else if (!paused) lose('the store refused to renew it');
    } catch (error) {
      // The next renewal may succeed; if none does, the deadline speaks.
      failure = error;
    }
  };
  const beat = (): void => {
    if (stopped || lost) return;
    if (clock.monotonicMs() - goodSinceMs >= ttlMs * 0.8) {
      lose('it could not be renewed in time', failure);
      return;
    }
    void send();
    schedule();
  };
  const schedule = (): void => {
    const deadlineInMs = goodSinceMs + ttlMs * 0.8 - clock.monotonicMs();
    // At least 1 ms: a timer that comes a little early must not become a busy loop.
    timer = clock.after(Math.max(1, Math.min(ttlMs / 4, Math.ceil(deadlineInMs))), beat, { background: true });
  };
  let timer = clock.after(ttlMs / 4, beat, { background: true });

  if (options.signal?.aborted) abortWithCaller();
  options.signal?.addEventListener('abort', abortWithCaller, { once: true });
  return {
    signal: controller.signal,
    isLost: () => lost,
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
    },
    stop() {
      stopped = true;
      timer.cancel();
      options.signal?.removeEventListener('abort', abortWithCaller);
    },
  };
}
