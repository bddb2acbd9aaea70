/** The shape of a project lock: the five functions of the package, and what AutoSave and a page's own code need. */
import type { Clock, Random } from '../../core/ports.ts';
import type { Channel, OpenFiles, WebLocks } from './ports.ts';
import type {
  ProjectLockEventListener,
  ProjectLockSubscription,
  ReadonlyInfo,
  ReleaseReason,
} from './project-lock-event.ts';
import type { ProjectLockLease } from './project-lock-lease.ts';

export interface LockRetryPolicy {
  /** Delay after the first failed attempt. From 0. @default 500 */
  readonly initialDelayMs: number;
  /** Each delay is this many times the one before. From 1. @default 2 */
  readonly multiplier: number;
  /** No delay is longer. @default 5000 */
  readonly maxDelayMs: number;
  /** Attempts in all. From 1; `Infinity`: no limit. @default 3 */
  readonly maxAttempts: number;
}

export interface ProjectLockAcquireOptions {
  /** Ends the waiting with `web-lock-aborted`; no fallback is tried. */
  readonly signal?: AbortSignal;
  /** How long one request for the Web Lock may wait. @default 5000 */
  readonly maxWaitMs?: number;
  readonly retryPolicy?: Partial<LockRetryPolicy>;
  /** How long the lease lasts without a renewal. From 1000. @default 25000 by Web Lock, 30000 by file */
  readonly ttlMillis?: number;
  /** The lease is renewed by itself, 5 s before it would end. False: the caller renews. @default true */
  readonly heartbeat?: boolean;
}

export interface ProjectLockAcquireResult {
  readonly lease: ProjectLockLease;
  /** The same as `lease.viaFallback`. */
  readonly didFallback: boolean;
}

export interface ProjectLockRenewOptions {
  readonly lease: ProjectLockLease;
  /** The new end is this far from now. @default the TTL the lease was acquired with */
  readonly extendByMs?: number;
}

export interface ProjectLockReleaseOptions {
  readonly lease: ProjectLockLease;
  /** Told with `lock:release-requested`. @default 'completed' */
  readonly reason?: ReleaseReason;
  /** Writes the tombstone whoever wrote the record. @default false */
  readonly force?: boolean;
}

export interface WithProjectLockOptions extends ProjectLockAcquireOptions {
  /** Time between two heartbeats. @default ttlMillis − 5000 */
  readonly renewIntervalMs?: number;
  /** Called once when the right is lost or cannot be had. */
  readonly onReadonly?: (info: ReadonlyInfo) => void;
}

export interface TakeOverOptions extends ProjectLockAcquireOptions {
  /** How long the holder may flush before its right is taken away. @default 2000 */
  readonly graceMs?: number;
}

export interface TakeOverResult extends ProjectLockAcquireResult {
  /** `asked`: the holder let go. `stolen`: it kept silent. `free`: there was nobody to ask. */
  readonly how: 'asked' | 'stolen' | 'free';
}

export type ProjectLockState = 'idle' | 'acquiring' | 'held' | 'renewing' | 'releasing' | 'readonly';

/** One object per state, the same until something changes: fit for `useSyncExternalStore`. */
export interface ProjectLockSnapshot {
  readonly state: ProjectLockState;
  /** There while `held`, `renewing` and `releasing`. */
  readonly lease?: ProjectLockLease;
  /** There while `readonly`. */
  readonly readonly?: ReadonlyInfo;
}

/** Sections of one tab, one after the other, with gate and record kept in between. */
export interface ProjectLockSession {
  /** Runs `work` with a token of its own. A second call meanwhile rejects with `lease-mismatch`. */
  run<T>(work: (lease: ProjectLockLease, signal: AbortSignal) => T | Promise<T>): Promise<T>;
  /** Gives gate and record back, after the section under way. */
  end(): Promise<void>;
}

export interface ProjectLockSessionOptions extends ProjectLockAcquireOptions {
  /** Tokens reserved in one write. 1 to 1,000,000. @default 1000 */
  readonly block?: number;
  /** Gate and record go back after so long without a section. @default 250 */
  readonly idleMs?: number;
}

export interface ProjectLock {
  readonly ownerId: string;
  /** Resolves when this tab may write. Rejects with `ProjectLockError`; read-only has then been entered. */
  acquireProjectLock(options?: ProjectLockAcquireOptions): Promise<ProjectLockAcquireResult>;
  renewProjectLock(options: ProjectLockRenewOptions): Promise<ProjectLockLease>;
  /** Resolves also when the lease was lost before: the events say which it was. */
  releaseProjectLock(options: ProjectLockReleaseOptions): Promise<void>;
  /** Acquires, renews while `work` runs, releases. The signal aborts when the right is lost. */
  withProjectLock<T>(
    options: WithProjectLockOptions | undefined,
    work: (lease: ProjectLockLease, signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  subscribeLockEvents(listener: ProjectLockEventListener): ProjectLockSubscription;

  /** The check before any write: synchronous, on both clocks. A lease found past its end is lost by this call. */
  isHeld(lease: ProjectLockLease): boolean;
  /**
   * Runs `work` inside the record's mutex, after comparing the record with the lease (id and token): while it runs,
   * nobody is granted the lock and nobody else commits. Otherwise rejects with `lease-expired` or `lease-stale`,
   * enters read-only, and `work` never runs. Also `record-busy` and `lease-mismatch`, which change nothing.
   *
   * Keep it short: writes of any size come before. Look at `signal` before each rename: it aborts when the page is
   * frozen inside, because the mutex is then let go so that the other tabs can go on. Commits of one tab queue up.
   */
  commit<T>(lease: ProjectLockLease, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** What to do when another tab asks: flush. The lease is released afterwards. One handler; undefined removes it. */
  onTakeOverRequest(handler: ((lease: ProjectLockLease) => Promise<void>) | undefined): void;

  snapshot(): ProjectLockSnapshot;
  /** Called after each change of the snapshot. Returns what ends it. */
  subscribe(onChange: () => void): () => void;
  /** Lets go of everything: worker, channel, listeners, gate. A lease that is held ends with its TTL. */
  close(): void;
}

/** What saving needs of it. */
export type SaveLock = Pick<
  ProjectLock,
  'acquireProjectLock' | 'releaseProjectLock' | 'isHeld' | 'commit' | 'onTakeOverRequest' | 'snapshot' | 'subscribe'
>;

/** Parts to put in place of the browser's own. */
export interface CreateProjectLockOptions {
  /** @default navigator.locks; `null`: there is none */
  readonly locks?: WebLocks | null;
  /** Given: the record is kept on this thread, without a worker. @default the origin private file system */
  readonly files?: OpenFiles;
  readonly clock?: Clock;
  readonly random?: Random;
  /** @default a BroadcastChannel `kannuki:project`; `null`: other tabs are neither told nor heard */
  readonly channel?: Channel | null;
  /** Names this tab in the record. Up to 64 characters. @default a UUID */
  readonly ownerId?: string;
  /** Where a bundler put `kannuki/project-lock/worker`. `null`: no worker. @default beside this module */
  readonly workerUrl?: string | URL | null;
  /** No second steal within this time, whoever did the first. @default 10000 */
  readonly coolDownMs?: number;
}
