/** Why a request has no answer. `code` is the problem's own, or one of the two below. */
export type ClientErrorCode =
  /** Nobody answered, and nothing was done. */
  | 'unreachable'
  /** The answer did not come: it may have been done. Repeat it under the same key or owner. */
  | 'unknown-outcome'
  /** A server's own `code`. */
  | (string & {});

export interface ClientErrorOptions {
  readonly code: ClientErrorCode;
  /** Of the answer; absent: there was none. */
  readonly status?: number;
  readonly retryable: boolean;
  /** The problem as the server told it. */
  readonly problem?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ClientErrorCode;
  readonly status: number | undefined;
  /** The same request may succeed later. */
  readonly retryable: boolean;
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(message: string, options: ClientErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.status = options.status;
    this.retryable = options.retryable;
    this.problem = options.problem ?? {};
  }
}
