/** What is stored, as the caller gets it. After a refusal this is the answer, never what the refused handler said. */
import { decideCompletion } from '../../core/idempotency.ts';
import type { Platform } from '../../core/ports.ts';
import { type AnswerText, readAnswerText } from './answer-text.ts';
import { retryStoreCall } from './retry-store-call.ts';
import { RunOnceError, type StoredError } from './run-once-error.ts';
import type { RunOnceOutcome } from './run-once-outcome.ts';
import type { RunClaim, RunRecords } from './run-records.ts';

export interface StoredAnswer {
  readonly state: 'done' | 'failed';
  readonly answer: AnswerText;
}

/** The result, or the failure thrown. `cause`: what the handler of this very call threw. */
export function tellStoredAnswer<T>(
  stored: StoredAnswer,
  key: string,
  outcome: 'ran' | 'replayed',
  cause?: unknown,
): RunOnceOutcome<T> {
  const answer = readAnswerText(stored.answer);
  if (stored.state === 'done') return { outcome, result: answer as T };
  const failure = answer as StoredError;
  throw new RunOnceError(
    `The run of "${key}" failed: ${failure.message} (this failure is the stored answer of the key; a new try needs a new key)`,
    { code: 'failed', key, stored: failure, cause },
  );
}

/** For a claim whose completion was refused, or that is lost. */
export async function readStoredAnswer<T>(
  { records, platform }: { readonly records: RunRecords; readonly platform: Platform },
  claim: RunClaim,
  cause?: unknown,
): Promise<RunOnceOutcome<T>> {
  const record = await retryStoreCall(platform, () => records.read(claim));
  const decision = decideCompletion(record, claim, record?.nowUs ?? 0);
  switch (decision.kind) {
    case 'in-flight':
      return { outcome: 'in-flight', retryAfterMs: decision.retryAfterMs };
    case 'reused':
      return { outcome: 'reused' };
    case 'replay': {
      const stored = { state: decision.state, answer: record?.answer ?? null };
      return tellStoredAnswer<T>(stored, claim.key, decision.own ? 'ran' : 'replayed', cause);
    }
    case 'complete':
    case 'gone':
      throw new RunOnceError(`The claim on "${claim.key}" was lost and no answer is stored for the key; ask again.`, {
        code: 'lost',
        retryable: true,
        key: claim.key,
        cause,
      });
  }
}
