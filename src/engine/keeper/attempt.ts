import type { LeaseTimes } from '../../core/lease-arguments.ts';
import type { AcquireReply, Share } from '../../core/ports.ts';
import { createGrant, type Grant } from './grant.ts';
import { type Instant, instantNow } from './instant.ts';
import type { KeeperContext } from './keeper-context.ts';
import type { Limited } from './time-limit.ts';

export interface ContentionRequest {
  readonly key: string;
  readonly share: Share | undefined;
  readonly times: LeaseTimes;
  /** One attempt only; its refusal is the answer. */
  readonly once: boolean;
}

/** One request for a lease, and what became of it. */
export interface Attempt {
  readonly owner: string;
  /** It asked for a place in line. */
  readonly line: boolean;
  readonly sent: Instant;
  readonly asked: Promise<AcquireReply>;
  readonly answer: Limited<AcquireReply>;
}

/**
 * Asks the store once, and calls back with what became of it. An answer later than our own deadline would be a grant we
 * must not use, so it is not waited for.
 */
export function startAttempt(
  context: KeeperContext,
  { key, share, times }: ContentionRequest,
  owner: string,
  line: boolean,
  settle: (attempt: Attempt) => void,
): void {
  const sent = instantNow(context.clock);
  const { ttlMs } = times;
  let asked: Promise<AcquireReply>;
  try {
    asked = context.store.acquire(share ? { key, owner, ttlMs, line, share } : { key, owner, ttlMs, line });
  } catch (error) {
    asked = Promise.reject(error);
  }
  context.calls.watch(asked, sent.monotonicMs + times.renewDeadlineMs, (answer) =>
    settle({ owner, line, sent, asked, answer }),
  );
}

/** The same as a promise. */
export function sendAttempt(
  context: KeeperContext,
  request: ContentionRequest,
  owner: string,
  line: boolean,
): Promise<Attempt> {
  return new Promise((resolve) => startAttempt(context, request, owner, line, resolve));
}

/** The grant of an attempt that was granted in time, dated by when it was sent. */
export function grantOf(
  { clock }: KeeperContext,
  { key, share, times }: ContentionRequest,
  { owner, sent, answer }: Attempt,
  heard: Instant,
): Grant | undefined {
  if (answer.kind !== 'answered' || !answer.value.granted) return undefined;
  const { lastToken } = answer.value;
  const grant = createGrant({ clock, key, owner, share, times, sent, heard, durationMs: times.ttlMs, lastToken });
  return grant.isHeld(heard) ? grant : undefined;
}
