/**
 * Idempotent execution as pure decisions. A record belongs to one key; while it is `running`, a claim with a token
 * and an end stands on it. Rules, each shown necessary by a failing variant of the run-once model:
 *   1. The fingerprint of the input is compared first, whatever the state: another input never runs under this key,
 *      takes it over, or gets its answer.
 *   2. An answer, once stored, is the answer: `done` and `failed` are both replayed. A handler that threw may have
 *      had its effect, so its key is not forgotten.
 *   3. Only the token of the claim that stands may complete. A claim that has ended may still complete while nobody
 *      has taken it over.
 *   4. A refused completion answers with what is stored, never with its own result.
 * Times are µs by the store's clock. `endUs > nowUs` means live.
 */
import { nextNumbers } from './lease.ts';
import { limits } from './limits.ts';

export interface IdempotencyRecord {
  readonly fingerprint: string;
  readonly state: 'running' | 'done' | 'failed';
  /** Token of the last claim. */
  readonly token: number;
  /** Who made the last claim. */
  readonly owner: string;
  /** End of the last claim. */
  readonly endUs: number;
}

export interface IdempotencyRequest {
  readonly fingerprint: string;
  /** Names this call; repeated only when the reply to its claim was lost. */
  readonly owner: string;
}

export type IdempotencyDecision =
  /** Nobody has used the key: claim it and run. */
  | { readonly kind: 'fresh'; readonly token: number }
  /** The claim's holder is gone (or is this very call, whose reply was lost and which keeps its token): run. */
  | { readonly kind: 'take-over'; readonly token: number }
  /** The answer is stored. */
  | { readonly kind: 'replay'; readonly state: 'done' | 'failed' }
  /** Somebody runs it now. Ask again after `retryAfterMs`. */
  | { readonly kind: 'in-flight'; readonly retryAfterMs: number }
  /** The key belongs to another input. */
  | { readonly kind: 'reused' };

export function decideIdempotency(
  record: IdempotencyRecord | undefined,
  request: IdempotencyRequest,
  nowUs: number,
): IdempotencyDecision {
  if (!record) return { kind: 'fresh', token: nextNumbers(0, nowUs, 1).token };
  if (record.fingerprint !== request.fingerprint) return { kind: 'reused' };
  if (record.state !== 'running') return { kind: 'replay', state: record.state };
  if (record.owner === request.owner) return { kind: 'take-over', token: record.token };
  if (record.endUs > nowUs) return { kind: 'in-flight', retryAfterMs: askAgainMs(record, nowUs) };
  return { kind: 'take-over', token: nextNumbers(record.token, nowUs, 1).token };
}

/** The right to complete: what the claim was given. */
export interface Claim {
  readonly fingerprint: string;
  readonly owner: string;
  readonly token: number;
}

export type CompletionDecision =
  | { readonly kind: 'complete' }
  /** An answer is stored; `own`: by this very claim, whose reply was lost. */
  | { readonly kind: 'replay'; readonly state: 'done' | 'failed'; readonly own: boolean }
  /** Another has taken over and has not finished. */
  | { readonly kind: 'in-flight'; readonly retryAfterMs: number }
  /** The record was forgotten and the key now belongs to another input. */
  | { readonly kind: 'reused' }
  /** The record was forgotten: what the others answered is no longer known. */
  | { readonly kind: 'gone' };

export function decideCompletion(
  record: IdempotencyRecord | undefined,
  claim: Claim,
  nowUs: number,
): CompletionDecision {
  if (!record) return { kind: 'gone' };
  if (record.fingerprint !== claim.fingerprint) return { kind: 'reused' };
  const own = record.token === claim.token && record.owner === claim.owner;
  if (record.state !== 'running') return { kind: 'replay', state: record.state, own };
  return own ? { kind: 'complete' } : { kind: 'in-flight', retryAfterMs: askAgainMs(record, nowUs) };
}

/** A run may end at any moment, so its claim's end is only the latest time at which asking again makes sense. */
function askAgainMs(record: IdempotencyRecord, nowUs: number): number {
  return Math.min(Math.max(Math.ceil((record.endUs - nowUs) / 1000), 1), limits.pollMsMax);
}
