/**
 * A request that waits for a lease. The caller stands in the store's line under its own grant id; this process only
 * keeps it company, so a server that restarts loses nothing: the caller repeats the request and is where it was.
 *
 * A notice is not believed here, it is a reason to ask again: asking under the same grant id returns the same grant
 * and extends the short, handed-over one to its full TTL (rule 2 of core/lease.ts). A lost notice costs one poll.
 *
 * How a wait ends without a grant:
 *   time is up      leave the line; if we no longer stand there the grant may have come: ask once more.
 *   the server stops  503. A caller that brought its owner keeps its place; it will be back.
 *   the caller is gone  leave the line. A grant that came is released only if nobody else can know its owner: a caller
 *                   that brought its own may already hold it through a second request. Else it ends by itself.
 */
import { processOf } from '../core/grant-id.ts';
import { limits } from '../core/limits.ts';
import type { AcquireReply, AcquireRequest } from '../core/ports.ts';
import type { Services } from './call.ts';
import { ProblemError } from './problem.ts';
import { createWakeUp } from './wake-up.ts';

export interface WaitForLeaseOptions {
  readonly request: AcquireRequest;
  readonly waitMs: number;
  readonly services: Services;
  /** Fires when the caller hung up. */
  readonly gone: AbortSignal;
  /** The caller brought its own grant id, so it can come again. */
  readonly ownerKnown: boolean;
}

export async function waitForLease(options: WaitForLeaseOptions): Promise<AcquireReply> {
  const { waitMs, services, gone, ownerKnown } = options;
  const { store, clock, stopping } = services;
  const request = { ...options.request, line: store.capabilities.line === true };
  const { key, owner } = request;
  const untilMs = clock.monotonicMs() + waitMs;
  const wait = services.countWait();
  const wakeUp = createWakeUp(clock, [stopping, gone]);
  let hints: { close(): Promise<void> | void } | undefined;
  try {
    // Listening starts before the first attempt: a release between the two must not go unheard.
    hints = request.line
      ? await store.subscribe(processOf(owner), (notice) => {
          if (notice.key === key && notice.owner === owner) wakeUp.wake();
        })
      : store.watch?.(key, wakeUp.wake);
    for (;;) {
      const reply = await store.acquire(request);
      if (gone.aborted) {
        await abandon(options, reply);
        return reply;
      }
      if (reply.granted) return reply;
      if (stopping.aborted) {
        if (!ownerKnown) await abandon(options, reply);
        throw stopped();
      }
      const leftMs = untilMs - clock.monotonicMs();
      if (leftMs <= 0) return await giveUp(options, reply);
      await wakeUp.within(Math.min(leftMs, limits.pollMsMax, Math.max(reply.remainingMs ?? Infinity, minPollMs)));
    }
  } finally {
    wakeUp.close();
    wait.done();
    await Promise.resolve(hints?.close()).catch((cause: unknown) => {
      services.logger.warn('notices did not close', { key, cause });
    });
  }
}

/** A lease about to end is asked for when it has ended, yet never in a tight loop. */
const minPollMs = 10;

async function giveUp({ request, services }: WaitForLeaseOptions, refusal: AcquireReply): Promise<AcquireReply> {
  if (refusal.granted || !refusal.inLine) return refusal;
  if (await services.store.leave(request)) return { ...refusal, inLine: false };
  return services.store.acquire({ ...request, line: false });
}

/** Nobody reads the answer any more, so a failure here is only logged. */
async function abandon({ request, services, ownerKnown }: WaitForLeaseOptions, reply: AcquireReply): Promise<void> {
  const { key, owner } = request;
  const share = request.share ? { share: request.share } : {};
  try {
    const left = !reply.granted && reply.inLine && (await services.store.leave({ key, owner }));
    const mayHold = reply.granted || (reply.inLine && !left);
    if (mayHold && !ownerKnown) {
      await services.store.release({ key, owner, token: null, acceptMs: limits.acceptMsMax, ...share });
    }
  } catch (cause) {
    services.logger.warn('a wait was not tidied up; its place ends by itself', { key, owner, cause });
  }
}

function stopped(): ProblemError {
  return new ProblemError({
    status: 503,
    code: 'stopping',
    detail: 'The server is about to stop; repeat the request with the same owner.',
    headers: { 'retry-after': '1' },
  });
}
