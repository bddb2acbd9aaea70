export { LeaseError, type LeaseErrorCode } from './core/errors.ts';
export type { LeaseEvent, LostReason } from './core/events.ts';
export type {
  AcquireReply,
  BreakReply,
  Capability,
  ClaimReply,
  Clock,
  LeaseCapabilities,
  LeaseInfo,
  LeaseStore,
  LossCause,
  Platform,
  Random,
  Share,
  SqlDatabase,
  SqlExecutor,
  SqlResult,
  SqlStatement,
} from './core/ports.ts';
export type { AcquireOptions, TryOptions } from './engine/acquire-options.ts';
export type { AcquireAllOutcome, LeaseSet } from './engine/keeper/acquire-several.ts';
export type { Lease, LeaseState } from './engine/lease.ts';
export { type AcquireOutcome, createLeases, type Leases, type LeasesOptions } from './engine/lease-keeper.ts';
export { migrate } from './engine/migrate.ts';
export type { NotAcquired } from './engine/not-acquired.ts';
