/**
 * One execution under a claim, to its end. Whatever happens, exactly one of these is true afterwards:
 *   - the answer is stored by this claim: done, or failed with what the handler threw;
 *   - the completion was refused, and the caller is told what is stored;
 *   - nothing is stored and the claim was given up: the error was retryable, the caller aborted, the claim was lost;
 *   - the store could not be asked: `unknown-outcome`. The claim ends by itself, the same key asks again.
 */
import type { Platform, SqlDatabase } from '../../core/ports.ts';
import { describeError, readAnswerText, writeAnswerText } from './answer-text.ts';
import { claimHeartbeat } from './claim-heartbeat.ts';
import { completingTransaction, unknownOutcome } from './completing-transaction.ts';
import { retryStoreCall } from './retry-store-call.ts';
import type { Run, RunHandler } from './run.ts';
import { RunOnceError } from './run-once-error.ts';
import type { RunOnceOutcome } from './run-once-outcome.ts';
import type { RunClaim, RunRecords } from './run-records.ts';
import { readStoredAnswer, type StoredAnswer, tellStoredAnswer } from './stored-answer.ts';

export interface ExecutionContext {
  readonly database: SqlDatabase;
  readonly records: RunRecords;
  readonly platform: Platform;
  readonly ttlMs: number;
  readonly isRetryable: (error: unknown) => boolean;
}

export interface ClaimedRun {
  readonly claim: RunClaim;
  readonly attempt: number;
  /** When the claim was sent, on the monotonic clock. */
  readonly sentMs: number;
  readonly signal: AbortSignal | undefined;
}

export async function executeRun<T>(
  context: ExecutionContext,
  { claim, attempt, sentMs, signal }: ClaimedRun,
  handler: RunHandler<T>,
): Promise<RunOnceOutcome<T>> {
  const { database, records, platform, ttlMs } = context;
  const { scope, key, token } = claim;
  const renew = (): Promise<boolean> => records.renew(claim, ttlMs);
  const heartbeat = claimHeartbeat({ clock: platform.clock, key, ttlMs, sentMs, renew, signal });
  try {
    const transaction = completingTransaction({ database, records, platform, claim, heartbeat });
    const end = await callHandler(
      { scope, key, token, attempt, signal: heartbeat.signal, transaction: transaction.run },
      handler,
    );
    const state = await transaction.close();
    if (state.kind === 'stored') {
      if (end.threw) throw threwAfterCompletion(key, end.error);
      return { outcome: 'ran', result: readAnswerText(state.answer) as T };
    }
    if (state.kind === 'refused') return await readStoredAnswer<T>(context, claim);
    if (!end.threw || (state.kind === 'none' && !heartbeat.signal.aborted && !mayRunAgain(context, end.error))) {
      heartbeat.pause();
      return await complete<T>(context, claim, writeEnd(end, key));
    }
    // Nothing is stored; the next caller runs. If the store cannot be reached, the claim ends with its TTL.
    const giveUp = (): Promise<void> => records.end(claim).catch(() => undefined);
    if (heartbeat.isLost() && state.kind === 'none') {
      return await readStoredAnswer<T>(context, claim, end.error).finally(giveUp);
    }
    await giveUp();
    throw signal?.aborted && state.kind === 'none' ? aborted(key, end.error) : end.error;
  } finally {
    heartbeat.stop();
  }
}

type HandlerEnd =
  | { readonly threw: false; readonly result: unknown }
  | { readonly threw: true; readonly error: unknown };

async function callHandler<T>(run: Run, handler: RunHandler<T>): Promise<HandlerEnd> {
  try {
    return { threw: false, result: await handler(run) };
  } catch (error) {
    return { threw: true, error };
  }
}

interface WrittenEnd extends StoredAnswer {
  /** What was thrown, when `state` is failed. */
  readonly thrown?: unknown;
}

/** A result that cannot be stored is a failure: the handler has had its effect, it must not run again. */
function writeEnd(end: HandlerEnd, key: string): WrittenEnd {
  const fail = (thrown: unknown): WrittenEnd => ({
    state: 'failed',
    answer: JSON.stringify(describeError(thrown)),
    thrown,
  });
  if (end.threw) return fail(end.error);
  try {
    return { state: 'done', answer: writeAnswerText(end.result, key) };
  } catch (error) {
    return fail(error);
  }
}

/** Stores the result or the failure. Repeated when the reply was lost: then the record says that it was us. */
async function complete<T>(context: ExecutionContext, claim: RunClaim, end: WrittenEnd): Promise<RunOnceOutcome<T>> {
  const { database, records, platform } = context;
  const { state, answer, thrown } = end;
  let stored: boolean;
  try {
    stored = await retryStoreCall(platform, () => records.complete(database, claim, state, answer));
  } catch (error) {
    const both = new AggregateError([thrown, error], 'The handler failed, and the store did not answer.');
    throw unknownOutcome(claim.key, state === 'failed' ? both : error);
  }
  if (!stored) return readStoredAnswer<T>(context, claim, thrown);
  return tellStoredAnswer<T>({ state, answer }, claim.key, 'ran', thrown);
}

function mayRunAgain({ isRetryable }: ExecutionContext, error: unknown): boolean {
  try {
    return isRetryable(error);
  } catch {
    // The handler may have had its effect; keeping the failure is the safe side.
    return false;
  }
}

function threwAfterCompletion(key: string, cause: unknown): RunOnceError {
  return new RunOnceError(
    `The answer of "${key}" is stored, but its handler threw afterwards; ask again for the answer.`,
    {
      code: 'threw-after-completion',
      retryable: true,
      key,
      cause,
    },
  );
}

function aborted(key: string, cause: unknown): RunOnceError {
  return new RunOnceError(`The run of "${key}" was aborted by its caller; nothing was stored.`, {
    code: 'aborted',
    retryable: true,
    key,
    cause,
  });
}
