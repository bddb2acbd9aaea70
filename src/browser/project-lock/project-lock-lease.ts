/** Which way in: through the Web Lock, or by the record in `project/.lock` alone. */
export type ProjectLockStrategy = 'web-lock' | 'file-lock';

/** The name an older design note has for the strategy. */
export type ProjectLockSource = ProjectLockStrategy;

/** The right to write the project. A plain value: it survives JSON. */
export interface ProjectLockLease {
  /** A UUID, new for each grant. */
  readonly leaseId: string;
  readonly ownerId: string;
  readonly strategy: ProjectLockStrategy;
  /** The same as `strategy === 'file-lock'`. */
  readonly viaFallback: boolean;
  /** Milliseconds since 1970. */
  readonly acquiredAt: number;
  /** Milliseconds since 1970. A renewal returns a lease with a later one. */
  readonly expiresAt: number;
  /** Strictly greater than that of every earlier grant of this project, whichever way in, also after crashes. */
  readonly token: number;
}
