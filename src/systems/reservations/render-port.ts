/**
 * What reservations need from a renderer. Callbacks are not signed: a callback is a hint with a secret in its address,
 * and the status is fetched before it is believed. The provider knows no idempotency keys, so a submission that got no
 * answer may have started a render that nobody knows: each attempt has a token of its own, the first done one wins.
 */

export interface RenderRequest {
  readonly videoId: number;
  /** From 1. */
  readonly attempt: number;
  /** What shall be rendered, as the application stored it. */
  readonly source: unknown;
  /** Secret of this attempt, for the callback's address. */
  readonly attemptToken: string;
}

export interface RenderStatus {
  readonly renderId: string;
  readonly status: 'working' | 'done' | 'failed';
  /** With `done`: where the film is. */
  readonly url?: string;
  /** With `failed`. */
  readonly error?: string;
  /** With `failed`: another attempt can help. */
  readonly retryable?: boolean;
}

export interface RenderCallback {
  readonly videoId: number;
  readonly attempt: number;
  readonly attemptToken: string;
  readonly renderId: string;
}

export interface RenderPort {
  readonly name: string;
  /** Throws `AppError` PROVIDER_UNAVAILABLE (unknown) or PROVIDER_REFUSED (this attempt has failed). */
  submit(request: RenderRequest): Promise<{ readonly renderId: string }>;
  /** Undefined: the provider knows no such render. */
  getStatus(renderId: string): Promise<RenderStatus | undefined>;
  /** Reads a callback without believing it. Undefined: not about a render (such as a copy to a CDN). */
  readCallback(request: {
    readonly rawBody: string;
    readonly query: Readonly<Record<string, string>>;
  }): RenderCallback | undefined;
}
