import type { Clock, Random } from '../../core/ports.ts';
import type { Holding } from './holding.ts';
import type { LockChannel } from './lock-channel.ts';
import type { LockStore } from './lock-store.ts';
import type { WebLocks } from './ports.ts';
import type { ProjectLock } from './project-lock.ts';
import type { WorkerKeeper } from './worker-keeper.ts';

/** Name of the Web Lock that is the gate; presence locks add the lease's id. */
export const gateName = 'kannuki:project';

/** The parts of one tab's lock, as its operations share them. */
export interface TabLock extends LockStore, Holding {
  readonly clock: Clock;
  readonly random: Random;
  /** Null as soon as it is known that there are none. */
  locks: WebLocks | null;
  readonly keeper: WorkerKeeper;
  readonly channel: LockChannel;
  readonly ownerId: string;
  readonly coolDownMs: number;
  /** The record that stood in the way last, and since when it has not changed, on our own clock. */
  seen: { readonly n: number; readonly sinceMs: number };
}

/** The parts behind a project lock, for what is a function of its own so that a page that does not use it pays nothing. */
export const tabLocks: WeakMap<ProjectLock, TabLock> = new WeakMap();
