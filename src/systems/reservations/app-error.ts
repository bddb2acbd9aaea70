/** Why a reservation could not do what was asked. The first four are what customers meet; the rest is for operators. */
export type AppErrorCode =
  /** Somebody else has the slot. */
  | 'SLOT_ALREADY_TAKEN'
  /** Its last holder may still have paid: ask again after `retryAfterMs`. */
  | 'SLOT_SETTLING'
  /** The key belongs to another request. */
  | 'IDEMPOTENCY_KEY_REUSED'
  /** The reservation is in no state that can be cancelled, or its slot has begun. */
  | 'CANNOT_CANCEL'
  /** An argument is out of its bounds; nothing was done. */
  | 'INVALID_ARGUMENT'
  /** No such reservation, video or payment, or not the caller's. */
  | 'NOT_FOUND'
  /** The hold is over, or paid already: there is nothing to pay. */
  | 'CANNOT_CHECK_OUT'
  /** The calendar has no such slot, or it has begun. */
  | 'SLOT_NOT_OFFERED'
  /** `withSlotLock` waited longer than it may. */
  | 'LOCK_TIMEOUT'
  /** `withSlotLock` inside `withSlotLock` of the same slot would wait for itself. */
  | 'LOCK_REENTRY'
  /** A provider did not answer; whether it acted is unknown. */
  | 'PROVIDER_UNAVAILABLE'
  /** A provider answered and said no for good. */
  | 'PROVIDER_REFUSED'
  /** A callback is not from the provider: bad signature, or too old, or from the future. */
  | 'WEBHOOK_INVALID';

/** Language of texts that people read. */
export type Locale = 'en' | 'ja';

export interface AppErrorOptions {
  readonly code: AppErrorCode;
  /** Trying the same again later can help. @default false */
  readonly retryable?: boolean;
  /** With `retryable`: not before this long. */
  readonly retryAfterMs?: number;
  /** What the provider called it. */
  readonly providerCode?: string;
  readonly cause?: unknown;
}

/** The one error class of reservations; what the database itself throws is a `LeaseError`. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: AppErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly providerCode: string | undefined;

  constructor(message: string, options: AppErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.providerCode = options.providerCode;
  }
}
