/** One caller's wait in the local line: until its turn, its time limit, its signal, or the keeper's end. */
import type { LeaseTimes } from '../../core/lease-arguments.ts';
import type { AcquireReply, Timer } from '../../core/ports.ts';
import type { NotAcquired } from '../not-acquired.ts';
import type { KeeperContext } from './keeper-context.ts';
import type { LineWaiter, LocalLine, Won } from './local-line.ts';

export interface TurnRequest {
  readonly context: KeeperContext;
  readonly key: string;
  readonly times: LeaseTimes;
  readonly once: boolean;
  readonly waitMs: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** `conclude` makes the caller's answer of what became of the wait, in the same step. */
export function waitForTurn<T>(
  request: TurnRequest & { readonly line: LocalLine },
  conclude: (outcome: Won | NotAcquired) => T,
): Promise<T> {
  const { context, line, times, once, waitMs, signal } = request;
  if (once && line.isBusy()) return Promise.resolve(conclude(heldHere(line)));
  // Nothing can end this wait but its answer: then there is nothing to stop either.
  if (!signal && (once || waitMs === undefined)) {
    return new Promise((resolve, reject) => line.join({ times, once, settle: settleWith(conclude, resolve, reject) }));
  }
  return new Promise((resolve, reject) => {
    const answer = settleWith(conclude, resolve, reject);
    let timer: Timer | undefined;
    let onAbort: (() => void) | undefined;
    const stop = (): void => {
      timer?.cancel();
      if (onAbort) signal?.removeEventListener('abort', onAbort);
    };
    const waiter: LineWaiter = {
      times,
      once,
      settle(result) {
        stop();
        answer(result);
      },
    };
    const giveUp = (reason: 'timeout' | 'aborted'): void => {
      stop();
      const contention = line.contention();
      const holder = line.current() ? heldHere(line) : refusalOutcome(reason, contention?.lastRefusal());
      line.leave(waiter);
      const failure = contention?.lastError();
      // A store that cannot be reached is not the same as a lease held by somebody.
      if (reason === 'timeout' && failure !== undefined) reject(failure);
      else resolve(conclude({ ...holder, reason }));
    };
    if (signal) {
      onAbort = () => giveUp('aborted');
      signal.addEventListener('abort', onAbort);
    }
    if (waitMs !== undefined && !once) timer = context.clock.after(waitMs, () => giveUp('timeout'));
    line.join(waiter);
  });
}

function settleWith<T>(
  conclude: (outcome: Won | NotAcquired) => T,
  resolve: (answer: T) => void,
  reject: (error: unknown) => void,
): LineWaiter['settle'] {
  return (result) => {
    if (result.kind === 'failed') reject(result.error);
    else resolve(conclude(result.kind === 'won' ? result : refusalOutcome('held', result.reply)));
  };
}

export function refusalOutcome(
  reason: NotAcquired['reason'],
  reply: Extract<AcquireReply, { granted: false }> | undefined,
): NotAcquired {
  return {
    acquired: false,
    reason,
    ...(reply?.holder !== undefined && { holder: reply.holder }),
    ...(reply?.remainingMs !== undefined && { retryAfterMs: reply.remainingMs }),
  };
}

function heldHere(line: LocalLine): NotAcquired {
  const grant = line.current();
  const refused = line.contention()?.lastRefusal();
  return grant ? { acquired: false, reason: 'held', holder: grant.owner } : refusalOutcome('held', refused);
}
