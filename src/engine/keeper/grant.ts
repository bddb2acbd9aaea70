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

import { type Bagged, nowhere } from '../../core/bag.ts';
import type { LostReason } from '../../core/events.ts';
import type { LeaseTimes } from '../../core/lease-arguments.ts';
import type { Clock, Share } from '../../core/ports.ts';
import { type Instant, instantNow } from './instant.ts';

/** Who holds this grant right now: told of what happens to it. */
export interface GrantHolder {
  onJeopardy(cause: unknown): void;
  onRecovered(): void;
  onLost(reason: LostReason): void;
  release(): Promise<boolean>;
}

export interface Grant extends Bagged {
  readonly key: string;
  readonly owner: string;
  /** Named by renew and release; hand-overs inside the process use the numbers up to it. */
  readonly lastToken: number;
  readonly share: Share | undefined;
  /** It came with a notice, so the line behind it is likely not empty. */
  readonly handedOver: boolean;
  times: LeaseTimes;
  state: 'held' | 'jeopardy' | 'lost' | 'ended';
  holder: GrantHolder | undefined;
  /** Monotonic: when the next renewal should be sent. */
  renewAtMs: number;
  /** Renewals sent since the last answer. */
  unanswered: number;
  /** Monotonic: the earlier of the two deadlines, as seen at `now`. */
  deadlineMs(now: Instant): number;
  /** Before both deadlines. @param now - when that is; without it the clocks are read */
  isHeld(now?: Instant): boolean;
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
  /** When we learned of it. */
  readonly heard: Instant;
  /** The TTL, or less for a grant that was handed over. */
  readonly durationMs: number;
  /** @default false */
  readonly handedOver?: boolean;
}

export function createGrant(input: GrantInput): Grant {
  return new KeptGrant(input);
}

/** A class, as the lease is: one is made for every acquire, and eight functions each time would be felt there. */
class KeptGrant implements Grant {
  readonly key: string;
  readonly owner: string;
  readonly lastToken: number;
  readonly share: Share | undefined;
  readonly handedOver: boolean;
  times: LeaseTimes;
  state: Grant['state'] = 'held';
  holder: GrantHolder | undefined = undefined;
  renewAtMs: number;
  unanswered = 0;
  place = nowhere;
  readonly #clock: Clock;
  #monotonicDeadlineMs = Number.NEGATIVE_INFINITY;
  #wallDeadlineMs = Number.NEGATIVE_INFINITY;
  #clockOffsetMs = 0;

  constructor(input: GrantInput) {
    const { clock, key, owner, lastToken, share, times, sent, heard, durationMs, handedOver = false } = input;
    this.key = key;
    this.owner = owner;
    this.lastToken = lastToken;
    this.share = share;
    this.handedOver = handedOver;
    this.times = times;
    this.#clock = clock;
    this.extend(sent, durationMs);
    const short = durationMs < times.ttlMs;
    // A handed-over grant is short: renew early. A section that ends before that never needs to.
    const firstRenewalMs = short ? durationMs / 8 : Math.min(times.retryPeriodMs, durationMs / 4);
    this.renewAtMs = heard.monotonicMs + firstRenewalMs;
  }

  deadlineMs(now: Instant): number {
    return Math.min(this.#monotonicDeadlineMs, now.monotonicMs + this.#wallDeadlineMs - now.wallMs);
  }

  isHeld(now: Instant = instantNow(this.#clock)): boolean {
    if (this.state !== 'held' && this.state !== 'jeopardy') return false;
    return now.monotonicMs < this.#monotonicDeadlineMs && now.wallMs < this.#wallDeadlineMs;
  }

  clocksDisagree(): boolean {
    const marginMs = this.times.ttlMs - this.times.renewDeadlineMs;
    const { monotonicMs, wallMs } = instantNow(this.#clock);
    return Math.abs(wallMs - monotonicMs - this.#clockOffsetMs) > marginMs;
  }

  extend(sent: Instant, durationMs: number): void {
    // A shorter grant has a proportionally shorter deadline.
    const ownMs = (durationMs * this.times.renewDeadlineMs) / this.times.ttlMs;
    this.#monotonicDeadlineMs = Math.max(this.#monotonicDeadlineMs, sent.monotonicMs + ownMs);
    this.#wallDeadlineMs = Math.max(this.#wallDeadlineMs, sent.wallMs + ownMs);
    this.#clockOffsetMs = sent.wallMs - sent.monotonicMs;
    this.unanswered = 0;
    if (this.state !== 'jeopardy') return;
    this.state = 'held';
    this.holder?.onRecovered();
  }

  jeopardize(cause: unknown): void {
    if (this.state !== 'held') return;
    this.state = 'jeopardy';
    this.holder?.onJeopardy(cause);
  }

  lose(reason: LostReason): void {
    if (this.state === 'lost' || this.state === 'ended') return;
    this.state = 'lost';
    this.holder?.onLost(reason);
  }

  end(): void {
    if (this.state !== 'lost') this.state = 'ended';
  }
}
