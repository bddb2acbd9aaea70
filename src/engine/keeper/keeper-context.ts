import type { LeaseEvent } from '../../core/events.ts';
import type { LeaseRules } from '../../core/lease.ts';
import type { LeaseTimes } from '../../core/lease-arguments.ts';
import type { Clock, LeaseStore, Random } from '../../core/ports.ts';
import type { CallWatch } from './call-watch.ts';

/** What the parts of one keeper share. */
export interface KeeperContext {
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly rules: LeaseRules;
  /** Whom notices are addressed to. */
  readonly process: string;
  readonly acceptMs: number;
  readonly pollMs: number;
  readonly calls: CallWatch;
  /** A grant id that was never used before. */
  newOwner(): string;
  /** The three times for a TTL other than the default, in the same proportions. */
  timesFor(ttlMs: number | undefined): LeaseTimes;
  emit(event: LeaseEvent): void;
  /** Somebody listens: what happens at every acquire and release is not put into words for nobody. */
  isHeard(): boolean;
  /** Work nobody awaits: its failure is swallowed here, and `close` waits for it unless told otherwise. */
  runInBackground(work: Promise<unknown>, options?: { readonly awaitedByClose?: boolean }): void;
}
