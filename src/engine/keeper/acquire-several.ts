/**
 * Several keys, all or none. The keys are sorted and taken in one atomic step of the store; nothing is held while
 * waiting, so two callers with overlapping keys cannot block each other for ever. Waiting is asking again, with
 * jitter, and no later than the end of the lease that was in the way.
 */
import { LeaseError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import type { AcquireAllReply, Timer } from '../../core/ports.ts';
import type { AcquireOptions } from '../acquire-options.ts';
import { createLease, type Lease } from '../lease.ts';
import type { NotAcquired } from '../not-acquired.ts';
import type { Closing } from './closing.ts';
import { createGrant } from './grant.ts';
import type { Heartbeat } from './heartbeat.ts';
import { instantNow } from './instant.ts';
import type { KeeperContext } from './keeper-context.ts';
import { storeHome } from './store-home.ts';

/** Leases on several keys that were granted together. */
export interface LeaseSet extends AsyncDisposable {
  /** In the order of the sorted keys. */
  readonly leases: readonly Lease[];
  get(key: string): Lease | undefined;
  /** Aborted when any of them is lost. */
  readonly signal: AbortSignal;
  /** True only while all of them are held. */
  isHeld(): boolean;
  /** Releases all. Never throws. */
  release(): Promise<boolean>;
}

export type AcquireAllOutcome =
  | { readonly acquired: true; readonly leases: LeaseSet }
  | (NotAcquired & { readonly key?: string });

export interface SeveralRequest {
  readonly context: KeeperContext;
  readonly heartbeat: Heartbeat;
  readonly keys: readonly string[];
  readonly wanted: Pick<AcquireOptions, 'ttlMs' | 'waitMs' | 'signal'>;
  readonly closing: Closing;
}

const pollMs = { first: 5, growth: 1.5, max: 200 };

export async function acquireSeveral(request: SeveralRequest): Promise<AcquireAllOutcome> {
  const { context, wanted, closing } = request;
  const { clock, store } = context;
  const keys = [...new Set(request.keys)].sort();
  if (keys.length === 0 || keys.length > limits.keysPerRequestMax) {
    throw new LeaseError(`acquireAll takes 1 to ${limits.keysPerRequestMax} keys, got ${keys.length}.`, {
      code: 'invalid-argument',
    });
  }
  const times = context.timesFor(wanted.ttlMs);
  const owner = context.newOwner();
  const endMs = wanted.waitMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonicMs() + wanted.waitMs;
  const releaseAll = (): Promise<unknown> =>
    Promise.allSettled(keys.map((key) => store.release({ key, owner, token: null, acceptMs: context.acceptMs })));

  // An attempt whose answer never came, or came too late, may have been granted; even after a later refusal.
  let mayBeGranted = false;
  for (let delayMs = pollMs.first; ; delayMs = Math.min(delayMs * pollMs.growth, pollMs.max)) {
    const sent = instantNow(clock);
    const answer = await context.calls.limit(
      store.acquireAll({ keys, owner, ttlMs: times.ttlMs }),
      times.renewDeadlineMs,
    );
    if (answer.kind === 'answered' && answer.value.granted) {
      const heard = instantNow(clock);
      const common = { clock, owner, share: undefined, times, sent, heard, durationMs: times.ttlMs };
      const grants = answer.value.tokens.map(({ key, token, lastToken }) => ({
        token,
        grant: createGrant({ ...common, key, lastToken }),
      }));
      if (!closing.isClosing() && grants.every(({ grant }) => grant.isHeld()))
        return { acquired: true, leases: leaseSet(request, grants) };
    }
    const failure = answer.kind === 'failed' ? answer.error : answer.kind === 'timed-out' ? silent(keys) : undefined;
    const refused = answer.kind === 'answered' && !answer.value.granted ? answer.value : undefined;
    mayBeGranted ||= refused === undefined;
    const final = failure !== undefined && !(failure instanceof LeaseError && failure.retryable);
    const ended = final || closing.isClosing() || wanted.signal?.aborted || clock.monotonicMs() >= endMs;
    if (ended) {
      if (mayBeGranted) context.runInBackground(releaseAll());
      if (failure !== undefined) throw failure;
      if (closing.isClosing()) throw new LeaseError('Waiting ended: these leases were closed.', { code: 'closed' });
      return refusal(refused, wanted.signal?.aborted ? 'aborted' : wanted.waitMs === 0 ? 'held' : 'timeout');
    }
    const jittered = delayMs * (0.5 + context.random.fraction());
    await pause(
      request,
      Math.max(1, Math.min(jittered, (refused?.remainingMs ?? jittered) + 1, endMs - clock.monotonicMs())),
    );
  }
}

function refusal(
  reply: Extract<AcquireAllReply, { granted: false }> | undefined,
  reason: NotAcquired['reason'],
): AcquireAllOutcome {
  return {
    acquired: false,
    reason,
    ...(reply && { key: reply.key }),
    ...(reply?.holder !== undefined && { holder: reply.holder }),
    ...(reply?.remainingMs !== undefined && { retryAfterMs: reply.remainingMs }),
  };
}

function leaseSet(
  { context, heartbeat }: SeveralRequest,
  grants: readonly { readonly token: number; readonly grant: ReturnType<typeof createGrant> }[],
): LeaseSet {
  const home = storeHome(context, heartbeat);
  const sinceMs = context.clock.monotonicMs();
  const leases = grants.map(({ grant, token }) => {
    heartbeat.add(grant);
    const lease = createLease({ context, grant, token, home, sinceMs });
    context.emit({ type: 'acquired', key: grant.key, token, waitedMs: 0, via: 'store' });
    return lease;
  });
  const release = async (): Promise<boolean> =>
    (await Promise.all(leases.map((lease) => lease.release()))).every(Boolean);
  return {
    leases,
    get: (key) => leases.find((lease) => lease.key === key),
    signal: AbortSignal.any(leases.map((lease) => lease.signal)),
    isHeld: () => leases.every((lease) => lease.isHeld()),
    release,
    async [Symbol.asyncDispose]() {
      await release();
    },
  };
}

/** Sleeps, but not past the caller's signal or the keeper's end. */
function pause({ context, wanted, closing }: SeveralRequest, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    let timer: Timer | undefined;
    const wake = (): void => {
      timer?.cancel();
      wanted.signal?.removeEventListener('abort', wake);
      closing.remove(wake);
      resolve();
    };
    timer = context.clock.after(delayMs, wake);
    wanted.signal?.addEventListener('abort', wake);
    closing.add(wake);
  });
}

function silent(keys: readonly string[]): LeaseError {
  return new LeaseError(
    `The store did not answer the request for ${keys.length} keys ("${keys[0]}" first); the outcome is unknown.`,
    {
      code: 'store-unavailable',
      retryable: true,
    },
  );
}
