/** One caller's wait in the local line: until its turn, its time limit, its signal, or the keeper's end. */
import { LeaseError } from '../../core/errors.ts';
import type { LeaseTimes } from '../../core/lease-arguments.ts';
import type { AcquireReply, Timer } from '../../core/ports.ts';
import type { NotAcquired } from '../not-acquired.ts';
import type { Closing } from './closing.ts';
import type { KeeperContext } from './keeper-context.ts';
import type { LineWaiter, LocalLine, Won } from './local-line.ts';

export interface TurnRequest {
  readonly context: KeeperContext;
  readonly key: string;
  readonly times: LeaseTimes;
  readonly once: boolean;
  readonly waitMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly closing: Closing;
}

export function waitForTurn(request: TurnRequest & { readonly line: LocalLine }): Promise<Won | NotAcquired> {
  const { context, key, line, times, once, waitMs, signal, closing } = request;
  if (once && line.isBusy()) return Promise.resolve(heldHere(line));
  return new Promise((resolve, reject) => {
    let timer: Timer | undefined;
    const done = (settle: () => void): void => {
      timer?.cancel();
      signal?.removeEventListener('abort', onAbort);
      closing.remove(onClosed);
      settle();
    };
    const waiter: LineWaiter = {
      times,
      once,
      settle(result) {
        if (result.kind === 'won') done(() => resolve(result));
        else if (result.kind === 'refused') done(() => resolve(refusalOutcome('held', result.reply)));
        else done(() => reject(result.error));
      },
    };
    const giveUp = (reason: 'timeout' | 'aborted'): void => {
      const contention = line.contention();
      const holder = line.current() ? heldHere(line) : refusalOutcome(reason, contention?.lastRefusal());
      line.leave(waiter);
      const failure = contention?.lastError();
      // A store that cannot be reached is not the same as a lease held by somebody.
      if (reason === 'timeout' && failure !== undefined) done(() => reject(failure));
      else done(() => resolve({ ...holder, reason }));
    };
    const onAbort = (): void => giveUp('aborted');
    const onClosed = (): void => {
      line.leave(waiter);
      done(() =>
        reject(new LeaseError(`Waiting for "${key}" ended: these leases were closed.`, { code: 'closed', key })),
      );
    };
    signal?.addEventListener('abort', onAbort);
    closing.add(onClosed);
    if (waitMs !== undefined && !once) timer = context.clock.after(waitMs, () => giveUp('timeout'));
    line.join(waiter);
  });
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
