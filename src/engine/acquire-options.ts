export interface TryOptions {
  /** @default the keeper's */
  readonly ttlMs?: number;
  /** A read lease: any number of them at once, none beside an exclusive one. */
  readonly shared?: boolean;
  /** A counted lease: at most this much weight at once. Everybody must name the same capacity. */
  readonly capacity?: number;
  /** Part of the capacity. @default 1 */
  readonly weight?: number;
}

export interface AcquireOptions extends TryOptions {
  /** Give up after this long. @default wait for ever */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}
