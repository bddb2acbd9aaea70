import type { LossCause } from './ports.ts';

/** Why a lease is over although nobody released it. `deadline`: our own clock stopped us before the TTL ended. */
export type LostReason =
  | LossCause
  | { readonly kind: 'deadline'; readonly cause?: unknown }
  | { readonly kind: 'closed' };

/** Everything the lease keeper tells; a closed union, so that a `switch` can be complete. */
export type LeaseEvent =
  | {
      readonly type: 'acquired';
      readonly key: string;
      readonly token: number;
      readonly waitedMs: number;
      readonly via: 'store' | 'notice' | 'local';
    }
  | {
      readonly type: 'refused';
      readonly key: string;
      readonly reason: 'held' | 'timeout' | 'aborted';
      readonly holder?: string;
    }
  | { readonly type: 'renewed'; readonly count: number; readonly tookMs: number }
  /** A renewal failed or is late; the lease is still in force. Writers may want to pause. */
  | { readonly type: 'jeopardy'; readonly key: string; readonly token: number; readonly cause: unknown }
  | { readonly type: 'recovered'; readonly key: string; readonly token: number }
  | { readonly type: 'lost'; readonly key: string; readonly token: number; readonly reason: LostReason }
  | { readonly type: 'released'; readonly key: string; readonly token: number; readonly heldMs: number }
  /** The store did not take the release; the lease ends with its TTL. */
  | { readonly type: 'release-failed'; readonly key: string; readonly token: number; readonly cause: unknown }
  /** Notices are off; waiting falls back to polling until they are back. */
  | { readonly type: 'notices-lost'; readonly cause: unknown };
