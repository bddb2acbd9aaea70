/** Why something of telemetry could not be done. */
export type TelemetryErrorCode =
  /** An argument is out of its bounds; nothing was sent. */
  | 'invalid-argument'
  /** The rollout was changed by somebody else since it was read: read again, decide again. */
  | 'rollout-changed'
  /** There is no phase before the first or after the last. */
  | 'no-such-phase'
  /** A receiver of notices did not accept one. */
  | 'delivery-failed';

export class TelemetryError extends Error {
  override readonly name = 'TelemetryError';
  readonly code: TelemetryErrorCode;
  readonly retryable: boolean;

  constructor(
    message: string,
    options: { readonly code: TelemetryErrorCode; readonly retryable?: boolean; readonly cause?: unknown },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.retryable = options.retryable ?? false;
  }
}
