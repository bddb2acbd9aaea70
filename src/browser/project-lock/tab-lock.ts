import type { Clock } from '../../core/ports.ts';
import type { Holding, HoldOptions } from './holding.ts';
import type { Listeners } from './listeners.ts';
import type { lockError } from './lock-error.ts';
import type { LockRecord } from './lock-record.ts';
import type { LockStore } from './lock-store.ts';
import type { Channel, OpenFiles, WebLockOptions, WebLocks } from './ports.ts';
import type { ProjectLock, ProjectLockAcquireResult, ProjectLockReleaseOptions } from './project-lock.ts';
import type { ProjectLockError } from './project-lock-error.ts';
import type { ProjectLockLease, ProjectLockStrategy } from './project-lock-lease.ts';
import type { KeeperReport, RecordKeeper } from './record-keeper.ts';
import type { RecordAnswer } from './record-mutex.ts';
import type { AcquireQuery, LeaseClaim } from './record-rules.ts';
import type { WorkerKeeper } from './worker-keeper.ts';

/** Name of the Web Lock that is the gate; presence locks add the lease's id. */
export const gateName = 'kannuki:project';

/** What tabs tell each other. A message may be lost: everything works without, only more slowly. */
export interface TabMessage {
  /**
   * `want`: somebody waits, a session ends as soon as it can. `please`: flush and release the grant with this token.
   * `freed`: it was released. `taken`: the record was overruled. `doubt`, which a tab says to itself: renewing failed
   * twice in a row; is the record still ours?
   */
  readonly kind: 'want' | 'please' | 'freed' | 'taken' | 'doubt';
  readonly token?: number;
}

/** What lets a Web Lock go, or why it was not had; undefined: somebody has it. */
export type Gate = (() => void) | Error | undefined;

/** How far the usual way in went. */
export interface FirstAttempt {
  readonly query?: AcquireQuery | undefined;
  readonly gate?: Gate;
  /** What the record said. */
  readonly answer?: RecordAnswer | undefined;
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
  releaseAgain(
    tab: TabLock,
    lease: ProjectLockLease,
    claim: LeaseClaim,
    force: boolean | undefined,
    first: RecordAnswer,
  ): Promise<boolean>;
  releaseForeign(tab: TabLock, options: ProjectLockReleaseOptions): Promise<void>;
  renewLock(tab: TabLock, lease: ProjectLockLease, extendByMs?: number): Promise<ProjectLockLease>;
  refuseLease(tab: TabLock, lease: ProjectLockLease): ProjectLockError;
  createPageKeeper(tab: TabLock, report: (report: KeeperReport) => void): Promise<RecordKeeper>;
  /** Undefined: it cannot be seen. */
  lookAtRecord(tab: TabLock): Promise<LockRecord | undefined>;
  readonly files: OpenFiles;
}

/** What a tab's lock is made of: the browser's own, or what was put in its place. */
export interface TabParts {
  readonly clock: Clock;
  /** A UUID, a new one each time. */
  readonly newId: () => string;
  /** Null as soon as it is known that there are none. */
  locks: WebLocks | null;
  readonly ownerId: string;
  readonly channel: Channel | null;
  /** @default 10000 */
  readonly coolDownMs?: number | undefined;
  readonly rare: () => Promise<RareParts>;
}

export interface TabLockOptions extends TabParts {
  /** Undefined, or throws: there is none, and the page keeps the record itself. */
  readonly startWorker: () => Worker | undefined;
}

/** The parts of one tab's lock, as its operations share them. */
export interface TabLock extends TabParts, LockStore, Holding {
  readonly keeper: WorkerKeeper;
  /** Hears what other tabs tell. Returns what ends it. */
  readonly listen: Listeners<TabMessage>['add'];
  /** The record that stood in the way last, and since when it has not changed, on our own clock. */
  seen?: { readonly n: number; readonly sinceMs: number };
  /** What to do when another tab asks for the lock. */
  onAsked?: ((lease: ProjectLockLease) => Promise<void>) | undefined;
  /** There while a commit is inside the mutex. */
  commit?: AbortController | undefined;
  readonly stopWatching: () => void;

  /** For the rare parts, which import nothing that a page has anyway. */
  readonly gateName: typeof gateName;
  readonly lockError: typeof lockError;
  requestGate(tab: TabLock, name: string, options: WebLockOptions): Promise<Gate>;
  acquireQuery(tab: TabLock, strategy: ProjectLockStrategy, ttlMs?: number, block?: number): AcquireQuery;
  checkTtlMs(ttlMs: number): number;
  releaseLock(tab: TabLock, options: ProjectLockReleaseOptions): Promise<void>;
}

/** The parts behind a project lock, for what is a function of its own so that a page that does not use it pays nothing. */
export const tabLocks: WeakMap<ProjectLock, TabLock> = new WeakMap();
