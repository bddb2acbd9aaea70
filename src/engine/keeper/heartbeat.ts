/**
 * One heartbeat for any number of grants: a single timer, one renewal request for everything that is due.
 *
 * A renewal is due every `retryPeriodMs`, answered or not: when the store hangs, the next one is sent anyway and
 * the grants are in jeopardy meanwhile. The same timer watches the deadlines, so a grant is lost on time even
 * if no answer ever comes. An answer counts from when its request was sent.
 */
import { createBag } from '../../core/bag.ts';
import type { LeaseStore, LossCause, RenewRequest, Timer } from '../../core/ports.ts';
import type { Grant } from './grant.ts';
import { type Instant, instantNow } from './instant.ts';
import type { KeeperContext } from './keeper-context.ts';
import { withTimeLimit } from './time-limit.ts';

export interface Heartbeat {
  /** @param now - when that is; without it the clocks are read */
  add(grant: Grant, now?: Instant): void;
  remove(grant: Grant): void;
  /** Renews these now. Resolves once answered; false for those that were not renewed. */
  renew(grants: readonly Grant[]): Promise<readonly boolean[]>;
  /** Looks again at when the timer must fire: something became due earlier. */
  reschedule(): void;
  grants(): readonly Grant[];
  stop(): void;
}

/** How long a lost lease waits to learn why, before it is reported without a reason. */
const explainLimitMs = 250;

export function createHeartbeat(context: KeeperContext, onBeat: () => void): Heartbeat {
  const { clock, store } = context;
  const grants = createBag<Grant>();
  let timer: Timer | undefined;
  let fireAtMs = Number.POSITIVE_INFINITY;

  const schedule = (atMs: number): void => {
    if (atMs >= fireAtMs) return;
    timer?.cancel();
    fireAtMs = atMs;
    timer = clock.after(Math.max(0, Math.ceil(atMs - clock.monotonicMs())), beat, { background: true });
  };

  const nextCheckMs = (grant: Grant, now: Instant): number => Math.min(grant.renewAtMs, grant.deadlineMs(now));

  const scheduleAll = (): void => {
    const now = instantNow(clock);
    for (const grant of grants.items()) schedule(nextCheckMs(grant, now));
  };

  function beat(): void {
    timer = undefined;
    fireAtMs = Number.POSITIVE_INFINITY;
    const nowMs = clock.monotonicMs();
    const due: Grant[] = [];
    for (const grant of grants.items()) {
      if (!grant.isHeld()) {
        lose(grant, { kind: 'deadline' });
        continue;
      }
      if (grant.clocksDisagree() && grant.state === 'held') {
        grant.jeopardize(new Error('The wall clock and the monotonic clock have moved apart.'));
        grant.renewAtMs = nowMs;
      }
      // Take along what would be due soon anyway: fewer trips.
      if (grant.renewAtMs <= nowMs + grant.times.retryPeriodMs / 4) due.push(grant);
    }
    if (due.length > 0) context.runInBackground(renew(due));
    scheduleAll();
  }

  function lose(grant: Grant, reason: Parameters<Grant['lose']>[0]): void {
    grants.remove(grant);
    grant.lose(reason);
  }

  async function renew(due: readonly Grant[]): Promise<readonly boolean[]> {
    const sent = instantNow(clock);
    for (const grant of due) {
      if (grant.unanswered > 0)
        grant.jeopardize(new Error(`The last renewal was not answered within ${grant.times.retryPeriodMs} ms.`));
      grant.unanswered += 1;
      grant.renewAtMs = sent.monotonicMs + grant.times.retryPeriodMs;
    }
    // The TTL as it was asked for: a hand-over inside the process may change the grant's while we wait.
    const requests = due.map(renewalOf);
    let answers: readonly boolean[];
    try {
      answers = await store.renew(requests);
    } catch (cause) {
      for (const grant of due) grant.jeopardize(cause);
      return due.map(() => false);
    }
    await Promise.all(due.map((grant, i) => settle(grant, answers[i] === true ? requests[i]?.ttlMs : undefined, sent)));
    onBeat();
    context.emit({
      type: 'renewed',
      count: answers.filter(Boolean).length,
      tookMs: clock.monotonicMs() - sent.monotonicMs,
    });
    return due.map((grant, i) => answers[i] === true && grant.isHeld());
  }

  async function settle(grant: Grant, renewedForMs: number | undefined, sent: Instant): Promise<void> {
    if (grant.state !== 'held' && grant.state !== 'jeopardy') return;
    if (renewedForMs !== undefined) {
      grant.extend(sent, renewedForMs);
      return;
    }
    lose(grant, await explain(store, grant));
  }

  async function explain(from: LeaseStore, grant: Grant): Promise<LossCause> {
    const asked = from.explainLoss({ key: grant.key, owner: grant.owner, token: grant.lastToken });
    const answer = await withTimeLimit(clock, asked, explainLimitMs);
    return answer.kind === 'answered' ? answer.value : { kind: 'expired' };
  }

  return {
    add(grant, now = instantNow(clock)) {
      grants.add(grant);
      schedule(nextCheckMs(grant, now));
    },
    remove(grant) {
      grants.remove(grant);
    },
    renew,
    reschedule: scheduleAll,
    grants: () => grants.items(),
    stop() {
      timer?.cancel();
      timer = undefined;
      grants.clear();
    },
  };
}

function renewalOf({ key, owner, lastToken, times, share }: Grant): RenewRequest {
  return { key, owner, token: lastToken, ttlMs: times.ttlMs, ...(share && { share }) };
}
