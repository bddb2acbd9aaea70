/** Why a lock operation could not do its work. Seed names; the table with what follows each is in docs/project-lock.md. */
export type ProjectLockErrorCode =
  /** There is no `navigator.locks` here, or it refuses this page. The file path follows. */
  | 'web-lock-unsupported'
  /** The Web Lock was refused, or a take-over came too soon after the last one. */
  | 'acquire-denied'
  /** Attempts or time are used up; read-only follows. */
  | 'acquire-timeout'
  /** The caller's signal was aborted. No fallback is tried. */
  | 'web-lock-aborted'
  /** Another live record stands in `.lock`. */
  | 'fallback-conflict'
  /** Somebody keeps `.lock` open for too long. */
  | 'record-busy'
  /** `.lock` cannot be created: no origin private file system, or access is denied. */
  | 'fallback-open-failed'
  /** No valid slot in `.lock`; the next attempt builds it anew. */
  | 'fallback-read-failed'
  /** `.lock` could not be written. */
  | 'fallback-write-failed'
  /** This tab holds already (re-entry), or a lease was handed in that is not ours. */
  | 'lease-mismatch'
  /** The lease is past its end. */
  | 'lease-expired'
  /** The record shows another holder. */
  | 'lease-stale'
  /** `.lock` could not be written on renew. */
  | 'renew-failed'
  /** `.lock` could not be written on release. */
  | 'release-failed';

export interface ProjectLockErrorOptions {
  readonly code: ProjectLockErrorCode;
  /** Trying the same again later can help. */
  readonly retryable: boolean;
  readonly cause?: unknown;
}

/** The one error class of the project lock. */
export class ProjectLockError extends Error {
  override readonly name = 'ProjectLockError';
  readonly code: ProjectLockErrorCode;
  readonly retryable: boolean;

  constructor(message: string, { code, retryable, cause }: ProjectLockErrorOptions) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.retryable = retryable;
  }
}
