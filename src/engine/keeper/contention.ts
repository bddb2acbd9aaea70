/**
 * Contends for one key in the store under one grant id, after a first attempt was not granted, until it is granted or nobody in this process wants it.
 *
 *   ask (and stand in line) ──granted──▶ done, dated by when this attempt was sent
 *    ▲        │ refused
 *    │        ▼
 *    └── wait: a notice for this grant id, or the poll of last resort (never later than the holder's end)
 *
 * A notice is believed only above the token of the last refusal and dated by when *that* attempt was sent. Asking
 * again under the same grant id is always safe: it is the same grant, extended. An attempt that was never
 * answered may have been executed, so on giving up we leave the line and release whatever we may hold.
 */
import { LeaseError } from '../../core/errors.ts';
import type { Refusal } from '../../core/lease.ts';
import type { AcquireReply, Notice, Timer } from '../../core/ports.ts';
import { type Attempt, type ContentionRequest, grantOf, sendAttempt } from './attempt.ts';
import { createGrant, type Grant } from './grant.ts';
import { type Instant, instantNow } from './instant.ts';
import type { KeeperContext } from './keeper-context.ts';
import type { NoticeBoard } from './notice-board.ts';

export type ContentionResult =
  | { readonly kind: 'won'; readonly grant: Grant; readonly token: number; readonly via: 'store' | 'notice' }
  | { readonly kind: 'refused'; readonly reply: Extract<AcquireReply, { granted: false }> }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: unknown };

export interface Contention {
  readonly result: Promise<ContentionResult>;
  /** Nobody wants it any more. */
  stop(): void;
  /** What the store last said, for the answer to a waiter that gives up. */
  lastRefusal(): Extract<AcquireReply, { granted: false }> | undefined;
  /** The last error of the store, if the last attempt failed. */
  lastError(): unknown;
}

/** Without a line we ask again soon, and less and less often. */
const pollWithoutLineMs = { first: 4, growth: 1.5, max: 100 };

/** Goes on from a first attempt that was not granted. */
export function contend(
  context: KeeperContext,
  board: NoticeBoard,
  request: ContentionRequest,
  first: Attempt,
): Contention {
  const { clock, store, rules } = context;
  const { key, share, times } = request;
  const { owner } = first;
  let stopped = false;
  let mayBeInLine = false;
  let mayBeGranted = false;
  let refused: Extract<AcquireReply, { granted: false }> | undefined;
  let refusal: Refusal | undefined;
  let refusalSent: Instant | undefined;
  let notice: Extract<Notice, { kind: 'granted' }> | undefined;
  let failure: unknown;
  let abandoned = false;
  let wake: (() => void) | undefined;

  board.openBox(owner, (heard) => {
    if (heard.kind === 'granted' && (!notice || heard.token > notice.token)) notice = heard;
    wake?.();
  });

  const sleep = (delayMs: number): Promise<void> =>
    new Promise((resolve) => {
      let timer: Timer | undefined;
      wake = () => {
        wake = undefined;
        timer?.cancel();
        resolve();
      };
      timer = clock.after(delayMs, () => wake?.());
      if (stopped || believable()) wake();
    });

  const believable = (): boolean =>
    notice !== undefined && rules.dateNotice(refusal, notice.token, clock.monotonicMs()) !== undefined;

  function take(attempt: Attempt): ContentionResult | 'again' {
    const { answer, line } = attempt;
    mayBeGranted = true;
    mayBeInLine ||= line;
    if (answer.kind === 'timed-out') releaseIfLate(attempt.asked);
    if (answer.kind !== 'answered') {
      failure = answer.kind === 'failed' ? answer.error : silentStore(key, times.renewDeadlineMs);
      if (isFinal(failure) || request.once) return { kind: 'failed', error: failure };
      return 'again';
    }
    failure = undefined;
    const reply = answer.value;
    if (reply.granted) {
      const grant = grantOf(context, request, attempt, instantNow(clock));
      return grant ? { kind: 'won', grant, token: reply.token, via: 'store' } : 'again';
    }
    mayBeGranted = false;
    mayBeInLine = reply.inLine;
    refused = reply;
    refusal = { token: reply.token, sentMs: attempt.sent.monotonicMs };
    refusalSent = attempt.sent;
    return request.once ? { kind: 'refused', reply } : 'again';
  }

  /** Takes the grant a believed notice speaks of. */
  function acceptNotice(): ContentionResult | undefined {
    if (!notice || !refusalSent) return undefined;
    const datedMs = rules.dateNotice(refusal, notice.token, clock.monotonicMs());
    const { token, lastToken, acceptMs } = notice;
    notice = undefined;
    if (datedMs === undefined) return undefined;
    const sinceMs = datedMs - refusalSent.monotonicMs;
    const dated = { monotonicMs: datedMs, wallMs: refusalSent.wallMs + sinceMs };
    const durationMs = Math.min(acceptMs, times.ttlMs);
    const heard = instantNow(clock);
    const dating = { sent: dated, heard, durationMs, handedOver: true };
    const grant = createGrant({ clock, key, owner, share, times, lastToken, ...dating });
    mayBeGranted = true;
    return grant.isHeld(heard) ? { kind: 'won', grant, token, via: 'notice' } : undefined;
  }

  async function run(): Promise<ContentionResult> {
    let { line } = first;
    let pollMs: number = pollWithoutLineMs.first;
    const watch = request.once ? undefined : store.watch?.(key, () => wake?.());
    try {
      for (let attempt = first; ; attempt = await sendAttempt(context, request, owner, line)) {
        const result = take(attempt);
        if (result !== 'again') return result;
        if (stopped) return { kind: 'stopped' };
        if (line && refusal && !board.isLive()) {
          // We stand in line already; a notice sent before we listened is made good by asking again.
          line = await board.ensureLive();
          if (line) continue;
          await leaveLine();
        }
        await sleep(waitMs(line, pollMs));
        const accepted = acceptNotice();
        if (stopped) return { kind: 'stopped' };
        if (accepted) return accepted;
        pollMs = Math.min(pollMs * pollWithoutLineMs.growth, pollWithoutLineMs.max);
      }
    } catch (error) {
      return { kind: 'failed', error };
    } finally {
      watch?.close();
      board.closeBox(owner);
    }
  }

  function waitMs(line: boolean, pollMs: number): number {
    const jitter = 0.5 + context.random.fraction();
    const ownMs = line && failure === undefined && mayBeInLine ? context.pollMs : pollMs * jitter;
    return Math.max(1, Math.min(ownMs, (refused?.remainingMs ?? Number.POSITIVE_INFINITY) + 1));
  }

  async function leaveLine(): Promise<void> {
    if (!mayBeInLine) return;
    const answer = await context.calls.limit(store.leave({ key, owner }), times.renewDeadlineMs);
    if (answer.kind !== 'answered') return;
    mayBeInLine = false;
    if (!answer.value) mayBeGranted = true;
  }

  /** An attempt answered after we gave up: what it was granted belongs to nobody. */
  function releaseIfLate(asked: Promise<AcquireReply>): void {
    const release = asked.then((late) => (abandoned && late.granted ? releaseAny() : undefined));
    context.runInBackground(release, { awaitedByClose: false });
  }

  async function releaseAny(): Promise<void> {
    await store.release({ key, owner, token: null, acceptMs: context.acceptMs, ...(share && { share }) });
  }

  /** We may stand in line, or hold a grant whose answer or notice never came. */
  async function cleanUp(): Promise<void> {
    await leaveLine();
    if (mayBeGranted || mayBeInLine) await releaseAny();
  }

  const result = run().then((ended) => {
    abandoned = ended.kind !== 'won';
    if (ended.kind === 'stopped' || ended.kind === 'failed') context.runInBackground(cleanUp());
    return ended;
  });
  return {
    result,
    stop() {
      stopped = true;
      wake?.();
    },
    lastRefusal: () => refused,
    lastError: () => failure,
  };
}

function isFinal(error: unknown): boolean {
  return !(error instanceof LeaseError) || !error.retryable;
}

function silentStore(key: string, limitMs: number): LeaseError {
  return new LeaseError(
    `The store did not answer the request for "${key}" within ${limitMs} ms; whether it was granted is unknown until it answers.`,
    { code: 'store-unavailable', retryable: true, key },
  );
}
