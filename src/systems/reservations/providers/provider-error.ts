/** How adapters speak of failure, so that all of them say it alike. */
import { AppError } from '../app-error.ts';

/** No answer, or "later". The act may have happened: repeat it under the same key, or look. */
export function unavailableProviderError(
  provider: string,
  what: string,
  details: {
    readonly why: string;
    readonly retryAfterMs?: number;
    readonly providerCode?: string;
    readonly cause?: unknown;
  },
): AppError {
  return new AppError(
    `${provider} did not answer when asked to ${what} (${details.why}). Whether it acted is unknown: ask again under the same key.`,
    {
      code: 'PROVIDER_UNAVAILABLE',
      retryable: true,
      ...(details.retryAfterMs === undefined ? {} : { retryAfterMs: details.retryAfterMs }),
      ...(details.providerCode === undefined ? {} : { providerCode: details.providerCode }),
      cause: details.cause,
    },
  );
}

/** A definite no: nothing happened, and the same again gets the same answer. */
export function refusedProviderError(
  provider: string,
  what: string,
  details: { readonly why: string; readonly providerCode?: string; readonly cause?: unknown },
): AppError {
  return new AppError(`${provider} refused to ${what}: ${details.why}`, {
    code: 'PROVIDER_REFUSED',
    ...(details.providerCode === undefined ? {} : { providerCode: details.providerCode }),
    cause: details.cause,
  });
}

/** Nothing of a callback is believed; the sender gets a 4xx. */
export function invalidWebhookError(why: string, cause?: unknown): AppError {
  return new AppError(`The webhook was refused: ${why}. Nothing was changed.`, { code: 'WEBHOOK_INVALID', cause });
}

/** Guessing what a new word of the provider's means would move money by guess. */
export function unknownStateError(what: string, id: string, status: string | null): AppError {
  return new AppError(`${what} ${id} has the state "${status}", which is not known: look it up at the provider.`, {
    code: 'PROVIDER_REFUSED',
  });
}
