export { LeaseError, type LeaseErrorCode } from './core/errors.ts';
export type { LeaseEvent, LostReason } from './core/events.ts';
export {
  type CompletionDecision,
  decideCompletion,
  decideIdempotency,
  type IdempotencyDecision,
  type IdempotencyRecord,
} from './core/idempotency.ts';
export { limits } from './core/limits.ts';
export type {
  AcquireReply,
  BreakReply,
  Capability,
  ClaimReply,
  Clock,
  LeaseCapabilities,
  LeaseInfo,
  LeaseStore,
  Logger,
  LossCause,
  Migration,
  MigrationSet,
  Notice,
  Platform,
  Random,
  Share,
  SqlDatabase,
  SqlExecutor,
  SqlResult,
  SqlStatement,
} from './core/ports.ts';
export { type Backoff, decideRetry, nextDelayMs, type RetryDecision } from './core/retry.ts';
export {
  decideTransition,
  defineTransitions,
  isDeclared,
  listEnds,
  listReachable,
  printTransitions,
  type TransitionDecision,
  type TransitionRefusal,
  type TransitionTable,
} from './core/transition.ts';
export type { AcquireOptions, TryOptions } from './engine/acquire-options.ts';
export {
  type GuardedUpdateOutcome,
  type GuardedUpdateRefusal,
  guardedUpdate,
} from './engine/guarded-update/guarded-update.ts';
export type { GuardedUpdateRequest } from './engine/guarded-update/update-request.ts';
export type { AcquireAllOutcome, LeaseSet } from './engine/keeper/acquire-several.ts';
export type { Lease, LeaseState } from './engine/lease.ts';
export { type AcquireOutcome, createLeases, type Leases, type LeasesOptions } from './engine/lease-keeper.ts';
export { migrate } from './engine/migrate.ts';
export type { NotAcquired } from './engine/not-acquired.ts';
export {
  createRunOnce,
  type RunOnce,
  type RunOnceOptions,
  type RunOnceRequest,
} from './engine/run-once/create-run-once.ts';
export type { Run, RunHandler } from './engine/run-once/run.ts';
export { RunOnceError, type RunOnceErrorCode } from './engine/run-once/run-once-error.ts';
export { runOnceMigrations } from './engine/run-once/run-once-migrations.ts';
export { type RunOnceOutcome, resultOf } from './engine/run-once/run-once-outcome.ts';
