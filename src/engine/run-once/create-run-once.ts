/**
 * Idempotent execution: the same key and input run once and have one answer.
 *
 *   claim      one statement, by the database's clock: the key is new, or the last claim on it has ended. The claim
 *              has a token, above every earlier one, and a TTL; it is renewed while the handler runs.
 *   otherwise  another input → `reused`, whatever the state · an answer is stored → `replayed` · somebody runs it
 *              → `in-flight`.
 *   complete   guarded by the token. A run that was taken over (it slept, or its host was cut off) is refused and
 *              answers with what is stored; with `run.transaction` its writes are rolled back.
 *   throw      stored as the answer, like a result: the handler may have had its effect. Only an error that says it
 *              is retryable, or a run that was aborted or lost, leaves the key open for the next caller.
 *   crash      the claim ends with its TTL, the next caller takes over.
 *
 * Promised: one stored answer; one effect if it is written through `run.transaction`, or is keyed at its target (give
 * the target `run.key`). Not promised: one effect outside without a key, and anything after the key was pruned.
 */
import { platform as defaultPlatform } from '#platform';
import { LeaseError } from '../../core/errors.ts';
import { grantId, safeProcessName } from '../../core/grant-id.ts';
import { decideIdempotency } from '../../core/idempotency.ts';
import { checkKey, checkTtl } from '../../core/lease-arguments.ts';
import type { Platform, SqlDatabase } from '../../core/ports.ts';
import { canonicalJson } from './canonical-json.ts';
import { type ExecutionContext, executeRun } from './execute-run.ts';
import { retryStoreCall } from './retry-store-call.ts';
import type { RunHandler } from './run.ts';
import { RunOnceError } from './run-once-error.ts';
import { runOnceLimits } from './run-once-limits.ts';
import type { RunOnceOutcome } from './run-once-outcome.ts';
import { type RunClaim, type RunKey, type RunRecord, runRecords } from './run-records.ts';
import { tellStoredAnswer } from './stored-answer.ts';

export interface RunOnceOptions {
  /** Has the tables of `runOnceMigrations`. */
  readonly database: SqlDatabase;
  /** After a crash a key is blocked for this long at most. 50 ms to 1 day. @default 60000 */
  readonly ttlMs?: number;
  /** How long `prune` lets an answer stand. Longer than any client retries. 1 s to 366 days. @default 86400000 */
  readonly retentionMs?: number;
  /** The error is not an answer: the next caller may run again. @default `error.retryable === true` */
  readonly isRetryable?: (error: unknown) => boolean;
  /** @default the platform's clock, chance and name */
  readonly platform?: Platform;
}

export interface RunOnceRequest {
  /** What must happen once; chosen by whoever wants it, and repeated by every retry. At most 512 bytes. */
  readonly key: string;
  /** Everything the result depends on, as JSON. The same key with another input is refused. */
  readonly input: unknown;
  /** Keeps the keys of two endpoints or tenants apart. @default 'default' */
  readonly scope?: string;
  /** Ends the run through `run.signal`. */
  readonly signal?: AbortSignal;
}

export interface RunOnce {
  /** Runs the handler, or answers with what another run of the same key and input said. */
  <T>(request: RunOnceRequest, handler: RunHandler<T>): Promise<RunOnceOutcome<T>>;
  /** Forgets at most `limit` (default 1000) records past their retention, oldest first. Returns how many. */
  prune(options?: { readonly limit?: number }): Promise<number>;
}

export function createRunOnce(options: RunOnceOptions): RunOnce {
  const {
    database,
    platform = defaultPlatform,
    ttlMs = 60_000,
    retentionMs = 86_400_000,
    isRetryable = saysRetryable,
  } = options;
  checkArguments(() => checkTtl(ttlMs));
  checkNumber('retentionMs', retentionMs, Math.max(runOnceLimits.retentionMsMin, ttlMs), runOnceLimits.retentionMsMax);
  const records = runRecords(database);
  const context: ExecutionContext = { database, records, platform, ttlMs, isRetryable };
  const { clock, random } = platform;
  const processId = random.hex(8);
  const name = safeProcessName(platform.processName);
  let calls = 0;

  const runOnce = async <T>(request: RunOnceRequest, handler: RunHandler<T>): Promise<RunOnceOutcome<T>> => {
    const { key, scope = 'default', signal } = request;
    checkArguments(() => {
      checkKey(key, 'run-once key');
      checkKey(scope, 'run-once scope');
    });
    checkAborted(key, signal);
    const fingerprint = await platform.sha256(canonicalJson(request.input));
    const asked = { scope, key, fingerprint, owner: grantId(processId, ++calls, name) };
    for (let round = 1; ; round++) {
      let sentMs = clock.monotonicMs();
      const { claimed, record } = await retryStoreCall(platform, () => {
        sentMs = clock.monotonicMs();
        return records.claim({ ...asked, ttlMs });
      });
      if (claimed && record) {
        const claim: RunClaim = { ...asked, token: record.token };
        if (signal?.aborted) await records.end(claim).catch(() => undefined);
        checkAborted(key, signal);
        return executeRun<T>(context, { claim, attempt: record.attempt, sentMs, signal }, handler);
      }
      const outcome = answerOf<T>(asked, record);
      if (outcome) return outcome;
      // Lost a race to another claim. Its row is visible to the next statement.
      if (round >= runOnceLimits.claimRounds) return { outcome: 'in-flight', retryAfterMs: 1 };
    }
  };

  return Object.assign(runOnce, {
    async prune({ limit = 1_000 }: { readonly limit?: number } = {}): Promise<number> {
      checkNumber('limit', limit, 1, runOnceLimits.pruneMax);
      return records.prune(retentionMs, Math.floor(limit));
    },
  });
}

/** What the record says to a caller that has not claimed it; undefined: it could be claimed now. */
function answerOf<T>(
  asked: RunKey & { readonly fingerprint: string; readonly owner: string },
  record: RunRecord | undefined,
): RunOnceOutcome<T> | undefined {
  const decision = decideIdempotency(record, asked, record?.nowUs ?? 0);
  switch (decision.kind) {
    case 'fresh':
    case 'take-over':
      return undefined;
    case 'in-flight':
      return { outcome: 'in-flight', retryAfterMs: decision.retryAfterMs };
    case 'reused':
      return { outcome: 'reused' };
    case 'replay':
      return tellStoredAnswer<T>({ state: decision.state, answer: record?.answer ?? null }, asked.key, 'replayed');
  }
}

function saysRetryable(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === true;
}

function checkAborted(key: string, signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new RunOnceError(`The run of "${key}" was aborted by its caller before it began.`, {
    code: 'aborted',
    retryable: true,
    key,
    cause: signal.reason,
  });
}

/** The checks of leases, with the error class of run-once. */
function checkArguments(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof LeaseError)) throw error;
    throw new RunOnceError(error.message, { code: 'invalid-argument', cause: error });
  }
}

function checkNumber(name: string, value: number, min: number, max: number): void {
  if (Number.isFinite(value) && value >= min && value <= max) return;
  throw new RunOnceError(`${name} must be a number from ${min} to ${max}, got ${String(value)}.`, {
    code: 'invalid-argument',
  });
}
