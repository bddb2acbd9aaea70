/**
 * The waiters of this process for one key, first come first served, with one contender in the store for all of them.
 *
 *   idle ──acquire──▶ contending ──won──▶ held ──release──▶ held by the next here (no trip, the next number)
 *                        ▲                  └─────────────▶ releasing ──▶ contending | idle
 *
 * A hand-over here is bounded by the grant's block of numbers and in time, so that other processes get their turn:
 * then the grant goes back to the store, which hands it to the first in *its* line.
 */
import type { LeaseTimes } from '../../core/lease-arguments.ts';
import { grantOf, sendAttempt } from './attempt.ts';
import { type Contention, type ContentionResult, contend } from './contention.ts';
import type { Grant } from './grant.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { KeeperContext } from './keeper-context.ts';
import type { NoticeBoard } from './notice-board.ts';
import { releaseGrant } from './release-grant.ts';

export interface Won {
  readonly grant: Grant;
  readonly token: number;
  readonly via: 'store' | 'notice' | 'local';
  /** Called once by the holder, unless the grant was lost. */
  giveBack(): Promise<boolean>;
  /** Called when the grant was lost while held. */
  lost(): void;
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
    const request = { key, share: undefined, times: first.times, once: first.once };
    const line = !first.once && context.store.capabilities.line === true;
    context.runInBackground(
      sendAttempt(context, request, context.newOwner(), line).then((attempt) => {
        // A free lease is taken here, without anything that only waiting needs.
        const { answer } = attempt;
        const grant = grantOf(context, request, attempt);
        if (grant && answer.kind === 'answered' && answer.value.granted) {
          onContended({ kind: 'won', grant, token: answer.value.token, via: 'store' });
          return;
        }
        contention = contend(context, board, request, attempt);
        if (waiters.length === 0) contention.stop();
        return contention.result.then(onContended);
      }),
    );
  }

  function onContended(result: ContentionResult): void {
    contention = undefined;
    if (result.kind === 'won') {
      chainSinceMs = clock.monotonicMs();
      heartbeat.add(result.grant);
      const first = waiters.shift();
      if (first) hold(first, result.grant, result.token, result.via);
      else giveUp(result.grant);
      return;
    }
    if (result.kind === 'refused') waiters.shift()?.settle(result);
    // A store that says no says no to everybody here.
    if (result.kind === 'failed') for (const waiter of waiters.splice(0)) waiter.settle(result);
    next();
  }

  function hold(waiter: LineWaiter, grant: Grant, token: number, via: Won['via']): void {
    current = grant;
    if (via === 'local') {
      grant.times = waiter.times;
      grant.renewAtMs = Math.min(grant.renewAtMs, clock.monotonicMs() + waiter.times.retryPeriodMs);
      heartbeat.reschedule();
    }
    waiter.settle({
      kind: 'won',
      grant,
      token,
      via,
      giveBack: () => giveBack(grant, token),
      lost() {
        current = undefined;
        heartbeat.remove(grant);
        next();
      },
    });
  }

  async function giveBack(grant: Grant, token: number): Promise<boolean> {
    current = undefined;
    const number = rules.nextInBlock(token, grant.lastToken);
    const inTime = clock.monotonicMs() - chainSinceMs < grant.times.renewDeadlineMs;
    if (number !== undefined && inTime && grant.state === 'held' && grant.isHeld()) {
      const waiter = waiters.shift();
      if (waiter) {
        hold(waiter, grant, number, 'local');
        return true;
      }
    }
    heartbeat.remove(grant);
    const released = await releaseGrant(context, grant, token);
    next();
    return released;
  }

  function giveUp(grant: Grant): void {
    heartbeat.remove(grant);
    context.runInBackground(releaseGrant(context, grant, grant.lastToken).then(next));
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
  };
}
