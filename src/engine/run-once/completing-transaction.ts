/**
 * The handler's writes and the answer in one transaction: both or neither.
 *
 * The completion is the last statement before the commit. Refused: everything rolls back. A commit that was not
 * answered is settled by reading the record under a lock, which waits for that transaction to be over: done by us =
 * committed, still our claim = rolled back. If even the read is not answered, the outcome is unknown.
 */
import { LeaseError } from '../../core/errors.ts';
import { decideCompletion } from '../../core/idempotency.ts';
import type { Platform, SqlDatabase, SqlExecutor } from '../../core/ports.ts';
import { type AnswerText, readAnswerText, writeAnswerText } from './answer-text.ts';
import type { ClaimHeartbeat } from './claim-heartbeat.ts';
import { retryStoreCall } from './retry-store-call.ts';
import type { Run } from './run.ts';
import { RunOnceError } from './run-once-error.ts';
import type { RunClaim, RunRecord, RunRecords } from './run-records.ts';

export type TransactionState =
  /** `none`: nothing was stored. `refused`: another has taken over. `unknown`: the store did not say. */
  { readonly kind: 'none' | 'refused' | 'unknown' } | { readonly kind: 'stored'; readonly answer: AnswerText };

export interface CompletingTransaction {
  readonly run: Run['transaction'];
  /** Takes no more, waits for one that the handler did not wait for, and says what became of it. */
  close(): Promise<TransactionState>;
}

export interface CompletingTransactionOptions {
  readonly database: SqlDatabase;
  readonly records: RunRecords;
  readonly platform: Platform;
  readonly claim: RunClaim;
  readonly heartbeat: ClaimHeartbeat;
}

export function completingTransaction(options: CompletingTransactionOptions): CompletingTransaction {
  const { database, records, platform, claim, heartbeat } = options;
  let state: TransactionState = { kind: 'none' };
  let underWay: Promise<unknown> | undefined;
  let closed = false;

  const attempt = async (work: (tx: SqlExecutor) => Promise<unknown>): Promise<AnswerText> => {
    let answer: AnswerText = null;
    let completed = false;
    try {
      await database.transaction(async (tx) => {
        answer = writeAnswerText(await work(tx), claim.key);
        // From here on a refused renewal may only mean that we have finished.
        heartbeat.pause();
        if (!(await records.complete(tx, claim, 'done', answer))) refuse();
        completed = true;
      });
      state = { kind: 'stored', answer };
    } catch (error) {
      // Only a commit that was not answered leaves the outcome open; every other failure has rolled back.
      if (!completed || !(error instanceof LeaseError) || error.code !== 'store-unavailable') throw error;
      await settleCommit(error, answer);
    } finally {
      if (state.kind === 'stored') heartbeat.stop();
      else heartbeat.resume();
    }
    return answer;
  };

  const settleCommit = async (commitError: LeaseError, answer: AnswerText): Promise<void> => {
    let record: RunRecord | undefined;
    try {
      record = await retryStoreCall(platform, () => records.read(claim));
    } catch {
      state = { kind: 'unknown' };
      throw unknownOutcome(claim.key, commitError);
    }
    const decision = decideCompletion(record, claim, record?.nowUs ?? 0);
    if (decision.kind === 'complete') throw commitError;
    if (decision.kind !== 'replay' || !decision.own) refuse();
    state = { kind: 'stored', answer };
  };

  const refuse = (): never => {
    state = { kind: 'refused' };
    throw new RunOnceError(
      `The claim on "${claim.key}" was taken over by another run; the writes of this one are undone.`,
      {
        code: 'lost',
        retryable: true,
        key: claim.key,
      },
    );
  };

  const checkOpen = (): void => {
    if (!closed && !underWay && state.kind === 'none') return;
    const why = underWay ? 'one is under way' : state.kind === 'stored' ? 'its answer is stored' : 'it is over';
    throw new RunOnceError(`The run of "${claim.key}" takes no further transaction: ${why}.`, {
      code: 'invalid-argument',
      key: claim.key,
    });
  };

  return {
    async run<R>(work: (tx: SqlExecutor) => Promise<R>): Promise<R> {
      checkOpen();
      const answered = attempt(work);
      underWay = answered;
      try {
        return readAnswerText(await answered) as R;
      } finally {
        underWay = undefined;
      }
    },
    async close() {
      closed = true;
      await underWay?.catch(() => undefined);
      return state;
    },
  };
}

export function unknownOutcome(key: string, cause: unknown): RunOnceError {
  return new RunOnceError(
    `The store did not say whether it took the answer of "${key}"; ask again with the same key and input.`,
    { code: 'unknown-outcome', retryable: true, key, cause },
  );
}
