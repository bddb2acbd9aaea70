import type { Clock } from '../../core/ports.ts';
import type { WebLockOptions, WebLocks } from './ports.ts';

/** A Web Lock in hand. */
export interface Gate {
  letGo(): void;
}

export interface GateRequest {
  readonly name: string;
  readonly locks: WebLocks;
  readonly clock: Clock;
  readonly options?: WebLockOptions;
  readonly maxWaitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called at once and every 250 ms while it waits. */
  readonly whileWaiting?: () => void;
  /** The browser took it away: somebody stole it, or the page was cached. Not called after `letGo`. */
  readonly onLost: () => void;
}

export type GateRefusal = 'aborted' | 'timed-out' | 'taken' | 'unsupported' | 'denied';

/** Often enough that a holder in the back/forward cache is thrown out of it within a second. */
const nagMs = 250;

/** Asks for a Web Lock and keeps it until it is let go. */
export function requestGate(
  request: GateRequest,
): Promise<Gate | { readonly refusal: GateRefusal; readonly cause?: unknown }> {
  const { name, locks, clock, options, maxWaitMs, signal, whileWaiting, onLost } = request;
  return new Promise((answer) => {
    const controller = new AbortController();
    let state: 'waiting' | 'held' | 'over' = 'waiting';
    let letGo = (): void => {};
    let nag = { cancel(): void {} };
    const settle = (result: Parameters<typeof answer>[0]): void => {
      if (state !== 'waiting') return;
      state = 'letGo' in result ? 'held' : 'over';
      limit.cancel();
      nag.cancel();
      signal?.removeEventListener('abort', onAbort);
      answer(result);
    };
    const giveUp = (refusal: GateRefusal): void => {
      settle({ refusal });
      controller.abort();
    };
    const onAbort = (): void => giveUp('aborted');
    const limit = clock.after(maxWaitMs, () => giveUp('timed-out'));
    const poll = (): void => {
      whileWaiting?.();
      nag = clock.after(nagMs, poll);
    };
    if (whileWaiting) nag = clock.after(nagMs, poll);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort);
    // A signal may not go together with `steal` or `ifAvailable`.
    void Promise.resolve()
      .then(() =>
        locks.request(name, options ?? { signal: controller.signal }, (lock) => {
          if (!lock) return settle({ refusal: 'taken' });
          if (state === 'over') return undefined;
          const until = new Promise<void>((done) => {
            letGo = () => {
              state = 'over';
              done();
            };
          });
          settle({ letGo: () => letGo() });
          return until;
        }),
      )
      .catch((cause: unknown) => {
        const { name: kind } = Object(cause) as { readonly name?: unknown };
        settle({ refusal: kind === 'NotSupportedError' || kind === 'SecurityError' ? 'unsupported' : 'denied', cause });
        if (state === 'held') onLost();
        state = 'over';
      });
  });
}
