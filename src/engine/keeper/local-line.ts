/**
 * The waiters of this process for one key, first come first served, with one contender in the store for all of them.
 *
 *   idle ──acquire──▶ contending ──won──▶ held ──release──▶ held by the next here (no trip, the next number)
 *                        ▲                  └─────────────▶ releasing ──▶ contending | idle
 *
 * A hand-over here is bounded by the grant's block of numbers and in time, so that other processes get their turn:
 * then the grant goes back to the store, which hands it to the first in *its* line.
 */
import { LeaseError } from '../../core/errors.ts';
import type { LeaseTimes } from '../../core/lease-arguments.ts';
import type { LeaseHome } from '../lease.ts';
import { type Attempt, type ContentionRequest, grantOf, startAttempt } from './attempt.ts';
import { type Contention, type ContentionResult, contend } from './contention.ts';
import type { Grant } from './grant.ts';
import type { Heartbeat } from './heartbeat.ts';
import { type Instant, instantNow } from './instant.ts';
import type { KeeperContext } from './keeper-context.ts';
import type { NoticeBoard } from './notice-board.ts';
import { releaseGrant, tellReleased } from './release-grant.ts';
import { renewOne } from './store-home.ts';

export interface Won {
  readonly grant: Grant;
  readonly token: number;
  readonly via: 'store' | 'notice' | 'local';
  readonly home: LeaseHome;
}

export interface LineWaiter {
  readonly times: LeaseTimes;
  /** One attempt; refused when somebody holds. */
  readonly once: boolean;
  settle(result: Extract<ContentionResult, { kind: 'refused' | 'failed' }> | (Won & { readonly kind: 'won' })): void;
}

export interface LocalLine {
  /** True when someone here holds it or contends for it. */
  isBusy(): boolean;
  /** The grant in use here. */
  current(): Grant | undefined;
  join(waiter: LineWaiter): void;
  /** The waiter gave up. */
  leave(waiter: LineWaiter): void;
  contention(): Contention | undefined;
  /** Refuses all who wait. */
  close(): void;
}

export interface LocalLineParts {
  readonly context: KeeperContext;
  readonly board: NoticeBoard;
  readonly heartbeat: Heartbeat;
  readonly key: string;
  /** Nobody here holds or wants it any more. */
  readonly onIdle: () => void;
}

export function createLocalLine({ context, board, heartbeat, key, onIdle }: LocalLineParts): LocalLine {
  const { clock, rules } = context;
  const home: LeaseHome = { renew: (grant) => renewOne(heartbeat, grant), giveBack, lost };
  const waiters: LineWaiter[] = [];
  let contention: Contention | undefined;
  let current: Grant | undefined;
  let busy = false;
  let chainSinceMs = 0;

  /** Starts contending for whoever is first, or ends this line. */
  function next(): void {
    const first = waiters[0];
    if (!first) {
      busy = false;
      onIdle();
      return;
    }
    busy = true;
    const { times, once } = first;
    const request = { key, share: undefined, times, once };
    const line = !once && context.store.capabilities.line === true;
    startAttempt(context, request, context.newOwner(), line, (attempt) => onFirstAnswer(request, attempt));
  }

  /** A free lease is taken here, without anything that only waiting needs. */
  function onFirstAnswer(request: ContentionRequest, attempt: Attempt): void {
    const { answer } = attempt;
    const heard = instantNow(clock);
    const grant = grantOf(context, request, attempt, heard);
    if (grant && answer.kind === 'answered' && answer.value.granted) {
      onWon(grant, answer.value.token, 'store', heard);
      return;
    }
    contention = contend(context, board, request, attempt);
    if (waiters.length === 0) contention.stop();
    context.runInBackground(contention.result.then(onContended));
  }

  function onContended(result: ContentionResult): void {
    contention = undefined;
    if (result.kind === 'won') {
      onWon(result.grant, result.token, result.via, instantNow(clock));
      return;
    }
    if (result.kind === 'refused') waiters.shift()?.settle(result);
    // A store that says no says no to everybody here.
    if (result.kind === 'failed') for (const waiter of waiters.splice(0)) waiter.settle(result);
    next();
  }

  function onWon(grant: Grant, token: number, via: Won['via'], heard: Instant): void {
    chainSinceMs = heard.monotonicMs;
    heartbeat.add(grant, heard);
    const first = waiters.shift();
    if (first) hold(first, grant, token, via);
    else giveUp(grant);
  }

  function hold(waiter: LineWaiter, grant: Grant, token: number, via: Won['via']): void {
    current = grant;
    if (via === 'local') {
      grant.times = waiter.times;
      grant.renewAtMs = Math.min(grant.renewAtMs, clock.monotonicMs() + waiter.times.retryPeriodMs);
      heartbeat.reschedule();
    }
    waiter.settle({ kind: 'won', grant, token, via, home });
  }

  function giveBack(grant: Grant, token: number, heldSinceMs: number): Promise<boolean> {
    current = undefined;
    const number = waiters.length > 0 ? numberForNext(grant, token) : undefined;
    const waiter = number === undefined ? undefined : waiters.shift();
    if (number !== undefined && waiter) {
      tellReleased(context, key, token, heldSinceMs);
      hold(waiter, grant, number, 'local');
      return Promise.resolve(true);
    }
    heartbeat.remove(grant);
    return releaseGrant(context, grant, token, heldSinceMs, next);
  }

  function numberForNext(grant: Grant, token: number): number | undefined {
    const inTime = clock.monotonicMs() - chainSinceMs < grant.times.renewDeadlineMs;
    if (!inTime || grant.state !== 'held' || !grant.isHeld()) return undefined;
    return rules.nextInBlock(token, grant.lastToken);
  }

  function lost(grant: Grant): void {
    current = undefined;
    heartbeat.remove(grant);
    next();
  }

  function giveUp(grant: Grant): void {
    heartbeat.remove(grant);
    void releaseGrant(context, grant, grant.lastToken, undefined, next);
  }

  return {
    isBusy: () => busy,
    current: () => current,
    contention: () => contention,
    join(waiter) {
      waiters.push(waiter);
      if (!busy) next();
    },
    leave(waiter) {
      const at = waiters.indexOf(waiter);
      if (at >= 0) waiters.splice(at, 1);
      if (waiters.length === 0) contention?.stop();
    },
    close() {
      contention?.stop();
      const error = new LeaseError(`Waiting for "${key}" ended: these leases were closed.`, { code: 'closed', key });
      for (const waiter of waiters.splice(0)) waiter.settle({ kind: 'failed', error });
    },
  };
}
