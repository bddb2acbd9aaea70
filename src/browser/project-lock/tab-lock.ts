import type { Clock } from '../../core/ports.ts';
import type { Holding, HoldOptions } from './holding.ts';
import type { Listeners } from './listeners.ts';
import type { lockError } from './lock-error.ts';
import type { LockRecord } from './lock-record.ts';
import type { LockStore } from './lock-store.ts';
import type { Channel, OpenFiles, WebLockOptions, WebLocks } from './ports.ts';
import type { ProjectLock, ProjectLockAcquireResult, ProjectLockReleaseOptions } from './project-lock.ts';
import type { ProjectLockError } from './project-lock-error.ts';
import type { ProjectLockLease } from './project-lock-lease.ts';
import type { RecordKeeper, ReportAttempt } from './record-keeper.ts';
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

/** Code that few pages need; see rare-parts.ts. Short words that a page has anyway: every name counts. */
export interface RareParts {
  acquire(
    tab: TabLock,
    options: HoldOptions,
    block: number,
    query: AcquireQuery | undefined,
    gate: Gate,
    answer: RecordAnswer | undefined,
  ): Promise<ProjectLockAcquireResult>;
  answer(tab: TabLock, message: TabMessage): Promise<void>;
  release(
    tab: TabLock,
    options: ProjectLockReleaseOptions,
    claim?: LeaseClaim,
    answer?: RecordAnswer,
  ): Promise<boolean>;
  renew(tab: TabLock, lease: ProjectLockLease, extendByMs?: number): Promise<ProjectLockLease>;
  refuse(tab: TabLock, lease: ProjectLockLease): ProjectLockError;
  keeper(tab: TabLock, report: ReportAttempt): Promise<RecordKeeper>;
  /** Undefined: it cannot be seen. */
  look(tab: TabLock): Promise<LockRecord | undefined>;
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
  readonly worker: () => Worker | undefined;
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
  /** Nothing is heard of the page's life any more. */
  readonly stop: () => void;

  /** For the rare parts, which import nothing that a page has anyway. */
  readonly error: typeof lockError;
  request(tab: TabLock, options: WebLockOptions, suffix?: string): Promise<Gate>;
  release(tab: TabLock, options: ProjectLockReleaseOptions): Promise<void>;
}

/** The parts behind a project lock, for what is a function of its own so that a page that does not use it pays nothing. */
export const tabLocks: WeakMap<ProjectLock, TabLock> = new WeakMap();
