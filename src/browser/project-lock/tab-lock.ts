import type { Clock } from '../../core/ports.ts';
import type { Holding, HoldOptions } from './holding.ts';
import type { LockChannel, TabMessage } from './lock-channel.ts';
import type { lockError } from './lock-error.ts';
import type { LockStore } from './lock-store.ts';
import type { Channel, WebLockOptions, WebLocks } from './ports.ts';
import type { ProjectLock, ProjectLockAcquireResult, ProjectLockReleaseOptions } from './project-lock.ts';
import type { ProjectLockError } from './project-lock-error.ts';
import type { ProjectLockLease } from './project-lock-lease.ts';
import type { KeeperReport, RecordKeeper } from './record-keeper.ts';
import type { RecordAnswer } from './record-mutex.ts';
import type { AcquireQuery, LeaseClaim } from './record-rules.ts';
import type { WorkerKeeper } from './worker-keeper.ts';

/** Name of the Web Lock that is the gate; presence locks add the lease's id. */
export const gateName = 'kannuki:project';

/** How far the usual way in went. */
export interface FirstAttempt {
  /** What lets the gate go, or why it was not had. */
  gate?: (() => void) | ProjectLockError;
  query?: AcquireQuery;
  /** What the record said. */
  answer?: RecordAnswer;
}

/** Code that few pages need; see rare-parts.ts. */
export interface RareParts {
  acquireAgain(
    tab: TabLock,
    options: HoldOptions,
    block: number,
    first: FirstAttempt,
  ): Promise<ProjectLockAcquireResult>;
  answerTab(tab: TabLock, message: TabMessage): Promise<void>;
  releaseAgain(tab: TabLock, claim: LeaseClaim, force: boolean, first: RecordAnswer): Promise<RecordAnswer>;
  renewLock(tab: TabLock, lease: ProjectLockLease, extendByMs?: number): Promise<ProjectLockLease>;
  refuseLease(tab: TabLock, lease: ProjectLockLease): ProjectLockError;
  createPageKeeper(tab: TabLock, report: (report: KeeperReport) => void): Promise<RecordKeeper>;
}

/** What a tab's lock is made of: the browser's own, or what was put in its place. */
export interface TabParts {
  readonly clock: Clock;
  /** A UUID, a new one each time. */
  readonly newId: () => string;
  /** Null as soon as it is known that there are none. */
  locks: WebLocks | null;
  readonly ownerId: string;
  /** @default 10000 */
  readonly coolDownMs?: number | undefined;
  /** Code that few pages need. */
  readonly rare: () => Promise<RareParts>;
}

export interface TabLockOptions extends TabParts {
  readonly channel: Channel | null;
  /** Undefined, or throws: there is none, and the page keeps the record itself. */
  readonly startWorker: () => Worker | undefined;
}

/** The parts of one tab's lock, as its operations share them. */
export interface TabLock extends TabParts, LockStore, Holding {
  readonly keeper: WorkerKeeper;
  readonly channel: LockChannel;
  /** The record that stood in the way last, and since when it has not changed, on our own clock. */
  seen: { readonly n: number; readonly sinceMs: number };
  /** What to do when another tab asks for the lock. */
  onAsked?: ((lease: ProjectLockLease) => Promise<void>) | undefined;
  /** There while a commit is inside the mutex. */
  commit?: AbortController | undefined;
  readonly stopWatching: () => void;

  /** For the rare parts, which import nothing that a page has anyway. */
  readonly gateName: typeof gateName;
  readonly lockError: typeof lockError;
  requestGate(
    tab: TabLock,
    name: string,
    maxWaitMs?: number,
    signal?: AbortSignal,
    web?: WebLockOptions,
  ): Promise<(() => void) | ProjectLockError>;
  acquireQuery(tab: TabLock, gate: boolean, ttlMs?: number, block?: number): AcquireQuery;
  checkTtlMs(ttlMs: number): number;
  releaseLock(tab: TabLock, options: ProjectLockReleaseOptions): Promise<void>;
}

/** The parts behind a project lock, for what is a function of its own so that a page that does not use it pays nothing. */
export const tabLocks: WeakMap<ProjectLock, TabLock> = new WeakMap();
