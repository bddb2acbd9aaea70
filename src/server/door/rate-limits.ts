/** How much one caller or address may ask for. Each table remembers so many sources and no more. */
import type { SourceLimitOptions } from '../../core/source-limit.ts';

export interface RateLimits {
  /** Requests of one token or session. */
  readonly caller: SourceLimitOptions;
  /** Requests of one address to routes that need no token. */
  readonly anonymous: SourceLimitOptions;
  /** Attempts of one address to sign in. */
  readonly signIn: SourceLimitOptions;
  /** Unknown, revoked or missing tokens of one address that are still told apart from "too many". */
  readonly failure: SourceLimitOptions;
}

export const rateLimits: RateLimits = {
  // A lock service is asked often: this stops a loop gone wild, not a busy program.
  caller: { perSecond: 5_000, burst: 20_000, maxSources: 10_000 },
  anonymous: { perSecond: 100, burst: 500, maxSources: 10_000 },
  signIn: { perSecond: 1 / 6, burst: 10, maxSources: 10_000 },
  failure: { perSecond: 1, burst: 60, maxSources: 10_000 },
};
