/**
 * What this process believes about one grant.
 *
 * Held means: before both deadlines, the monotonic and the wall one, each counted from when the request that gave
 * or extended the grant was *sent*. The store counts from when it executed, which is later, so we always stop
 * sooner, whether or not the store answers. The wall clock can only end a grant earlier.
 *
 *   held ──renewal failed or late, or the clocks disagree──▶ jeopardy ──renewed──▶ held
 *   held, jeopardy ──deadline passed, or the store said no──▶ lost
 *   held, jeopardy ──released──▶ ended
 */

import type { LostReason } from '../../core/events.ts';
import type { LeaseTimes } from '../../core/lease-arguments.ts';
import type { Clock, Share } from '../../core/ports.ts';
import { type Instant, instantNow } from './instant.ts';

/** Who holds this grant right now: told of what happens to it. */
export interface GrantHolder {
  onJeopardy(cause: unknown): void;
  onRecovered(): void;
  onLost(reason: LostReason): void;
}

export interface Grant {
  readonly key: string;
  readonly owner: string;
  /** Named by renew and release; hand-overs inside the process use the numbers up to it. */
  readonly lastToken: number;
  readonly share: Share | undefined;
  times: LeaseTimes;
  state: 'held' | 'jeopardy' | 'lost' | 'ended';
  holder: GrantHolder | undefined;
  /** Monotonic: when the next renewal should be sent. */
  renewAtMs: number;
  /** Renewals sent since the last answer. */
  unanswered: number;
  /** Monotonic: the earlier of the two deadlines, as seen now. */
  deadlineMs(): number;
  isHeld(): boolean;
  /** The clocks have moved apart by more than the safety margin since the grant was last extended. */
  clocksDisagree(): boolean;
  /** The request sent at `sent` gave it `durationMs` from then on. Never shortens. */
  extend(sent: Instant, durationMs: number): void;
  jeopardize(cause: unknown): void;
  lose(reason: LostReason): void;
  end(): void;
}

export interface GrantInput {
  readonly clock: Clock;
  readonly key: string;
  readonly owner: string;
  readonly lastToken: number;
  readonly share: Share | undefined;
  readonly times: LeaseTimes;
  readonly sent: Instant;
  /** The TTL, or less for a grant that was handed over. */
  readonly durationMs: number;
}

export function createGrant(input: GrantInput): Grant {
  const { clock } = input;
  let monotonicDeadlineMs = Number.NEGATIVE_INFINITY;
  let wallDeadlineMs = Number.NEGATIVE_INFINITY;
  let clockOffsetMs = 0;

  const grant: Grant = {
    key: input.key,
    owner: input.owner,
    lastToken: input.lastToken,
    share: input.share,
    times: input.times,
    state: 'held',
    holder: undefined,
    renewAtMs: 0,
    unanswered: 0,
    deadlineMs() {
      const wallLeftMs = wallDeadlineMs - clock.wallMs();
      return Math.min(monotonicDeadlineMs, clock.monotonicMs() + wallLeftMs);
    },
    isHeld() {
      if (grant.state !== 'held' && grant.state !== 'jeopardy') return false;
      return clock.monotonicMs() < monotonicDeadlineMs && clock.wallMs() < wallDeadlineMs;
    },
    clocksDisagree() {
      const marginMs = grant.times.ttlMs - grant.times.renewDeadlineMs;
      return Math.abs(clock.wallMs() - clock.monotonicMs() - clockOffsetMs) > marginMs;
    },
    extend(sent, durationMs) {
      // A shorter grant has a proportionally shorter deadline.
      const ownMs = (durationMs * grant.times.renewDeadlineMs) / grant.times.ttlMs;
      monotonicDeadlineMs = Math.max(monotonicDeadlineMs, sent.monotonicMs + ownMs);
      wallDeadlineMs = Math.max(wallDeadlineMs, sent.wallMs + ownMs);
      clockOffsetMs = sent.wallMs - sent.monotonicMs;
      grant.unanswered = 0;
      if (grant.state === 'jeopardy') {
        grant.state = 'held';
        grant.holder?.onRecovered();
      }
    },
    jeopardize(cause) {
      if (grant.state !== 'held') return;
      grant.state = 'jeopardy';
      grant.holder?.onJeopardy(cause);
    },
    lose(reason) {
      if (grant.state === 'lost' || grant.state === 'ended') return;
      grant.state = 'lost';
      grant.holder?.onLost(reason);
    },
    end() {
      if (grant.state !== 'lost') grant.state = 'ended';
    },
  };
  grant.extend(input.sent, input.durationMs);
  const handedOver = input.durationMs < input.times.ttlMs;
  // A handed-over grant is short: renew early. A section that ends before that never needs to.
  const firstRenewalMs = handedOver ? input.durationMs / 8 : Math.min(input.times.retryPeriodMs, input.durationMs / 4);
  grant.renewAtMs = instantNow(clock).monotonicMs + firstRenewalMs;
  return grant;
}
