import type { Clock, Random } from '../../core/ports.ts';
import type { Holding } from './holding.ts';
import type { LockChannel } from './lock-channel.ts';
import type { LockStore } from './lock-store.ts';
import type { WebLocks } from './ports.ts';
import type { RecordKeeper } from './record-keeper.ts';

/** Name of the Web Lock that is the gate; presence locks add the lease's id. */
export const gateName = 'kannuki:project';

/** The parts of one tab's lock, as its operations share them. */
export interface TabLock {
  readonly clock: Clock;
  readonly random: Random;
  /** Null as soon as it is known that there are none. */
  locks: WebLocks | null;
  readonly keeper: RecordKeeper;
  readonly channel: LockChannel;
  readonly store: LockStore;
  readonly holding: Holding;
  readonly ownerId: string;
  readonly coolDownMs: number;
}
