/**
 * What an error of the `stripe` SDK means for us. Told apart by `type`, which survives two copies of the SDK in one
 * process, where `instanceof` would not.
 */
import type { AppError } from '../../app-error.ts';
import { refusedProviderError, unavailableProviderError } from '../provider-error.ts';

export type StripeFailure =
  /** It said no: a definite answer. */
  | { readonly kind: 'refused'; readonly code: string; readonly message: string }
  /** The key remembers a failure and repeats it: this key never works any more. Look what happened, then take another. */
  | { readonly kind: 'remembered'; readonly message: string }
  | { readonly kind: 'missing'; readonly message: string }
  /** Our key of the account is wrong, or may not do this: nothing happened, whatever was asked. */
  | { readonly kind: 'denied'; readonly code: string; readonly message: string }
  /** No answer, or "later". */
  | { readonly kind: 'unavailable'; readonly why: string; readonly retryAfterMs?: number };

interface SdkError {
  readonly type?: string;
  readonly code?: string;
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message: string;
}

export function stripeFailure(error: unknown): StripeFailure {
  const { type, code, statusCode = 0, headers, message } = asSdkError(error);
  if (type === 'StripeInvalidRequestError') {
    if (code === 'resource_missing' && statusCode === 404) return { kind: 'missing', message };
    return { kind: 'refused', code: code ?? 'invalid_request_error', message };
  }
  if (type === 'StripeIdempotencyError') return { kind: 'refused', code: 'idempotency_error', message };
  if (type === 'StripeCardError') return { kind: 'refused', code: code ?? 'card_error', message };
  if (type === 'StripeAuthenticationError' || type === 'StripePermissionError') {
    return { kind: 'denied', code: code ?? type, message };
  }
  if (statusCode >= 500 && headers?.['idempotent-replayed'] === 'true') return { kind: 'remembered', message };
  const retryAfterMs = Number(headers?.['retry-after']) * 1000;
  return {
    kind: 'unavailable',
    why: statusCode === 0 ? message : `${statusCode} ${code ?? message}`,
    ...(Number.isFinite(retryAfterMs) && retryAfterMs > 0 ? { retryAfterMs } : {}),
  };
}

/** For calls whose every failure is an error. */
export function stripeFailureError(error: unknown, what: string): AppError {
  const failure = stripeFailure(error);
  switch (failure.kind) {
    case 'unavailable': {
      const { why, retryAfterMs } = failure;
      return unavailableProviderError('Stripe', what, { why, cause: error, ...(retryAfterMs ? { retryAfterMs } : {}) });
    }
    case 'remembered':
      return unavailableProviderError('Stripe', what, {
        why: `it repeats a failure that it remembers for this key: ${failure.message}`,
        providerCode: 'remembered_failure',
        cause: error,
      });
    case 'missing':
      return refusedProviderError('Stripe', what, {
        why: failure.message,
        providerCode: 'resource_missing',
        cause: error,
      });
    case 'denied':
    case 'refused':
      return refusedProviderError('Stripe', what, { why: failure.message, providerCode: failure.code, cause: error });
  }
}

function asSdkError(error: unknown): SdkError {
  // A mistake in our own code is not an answer of the provider.
  if (!(error instanceof Error) || !('type' in error)) throw error;
  return error as SdkError;
}
