/** A refusal or failure as the server tells it (RFC 9457). Code 0: the server was not reached. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly code: string;
  /** When it is worth another try, as far as the server can tell. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    detail: string,
    options: {
      readonly status: number;
      readonly code: string;
      readonly retryAfterSeconds?: number;
      readonly cause?: unknown;
    },
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = options.status;
    this.code = options.code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
