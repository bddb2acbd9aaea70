import type { ProjectLockError } from './project-lock-error.ts';
import type { ProjectLockLease, ProjectLockStrategy } from './project-lock-lease.ts';

export type ProjectLockOperation = 'acquire' | 'renew' | 'release';

/** Why the page may only read. Left by a new acquire, and by nothing else. */
export type ReadonlyReason =
  | 'acquire-timeout'
  | 'fallback-conflict'
  | 'fallback-open-failed'
  | 'renew-failed'
  | 'lease-stale'
  | 'lease-expired'
  | 'release-failed'
  | 'stolen'
  | 'page-cached';

/** Why a lease is given back. */
export type ReleaseReason = 'completed' | 'aborted' | 'expired';

export interface ReadonlyInfo {
  readonly reason: ReadonlyReason;
  readonly lastError?: ProjectLockError;
}

/** Everything the lock tells; every change of state is among it. Order and meaning: docs/project-lock.md. */
export type ProjectLockEvent =
  | {
      readonly type: 'lock:attempt';
      readonly operation: ProjectLockOperation;
      readonly strategy: ProjectLockStrategy;
      readonly attempt: number;
    }
  | { readonly type: 'lock:waiting'; readonly attempt: number; readonly delayMs: number }
  | { readonly type: 'lock:acquired'; readonly lease: ProjectLockLease }
  | { readonly type: 'lock:renew-scheduled'; readonly lease: ProjectLockLease; readonly nextHeartbeatInMs: number }
  | { readonly type: 'lock:renewed'; readonly lease: ProjectLockLease }
  | { readonly type: 'lock:expired'; readonly lease: ProjectLockLease }
  | {
      readonly type: 'lock:lost';
      readonly lease: ProjectLockLease;
      readonly reason: 'stolen' | 'page-cached' | 'stale';
    }
  | {
      readonly type: 'lock:release-requested';
      readonly lease: ProjectLockLease;
      readonly reason: ReleaseReason;
    }
  | { readonly type: 'lock:released'; readonly leaseId: string }
  | {
      readonly type: 'lock:warning';
      readonly code: 'fallback-engaged' | 'fallback-degraded' | 'heartbeat-delayed';
    }
  | { readonly type: 'lock:error'; readonly operation: ProjectLockOperation; readonly error: ProjectLockError }
  | ({ readonly type: 'lock:readonly-entered' } & ReadonlyInfo)
  | { readonly type: 'lock:readonly-left' };

export type ProjectLockEventListener = (event: ProjectLockEvent) => void;

export interface ProjectLockSubscription {
  /** From now on nothing is told. Doing it twice is harmless. */
  unsubscribe(): void;
}
