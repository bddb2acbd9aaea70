/** The provider's "no": the status and words of its HTTP answer. */
export interface BookRefusal {
  readonly status: 400 | 402 | 404;
  readonly type: 'invalid_request_error' | 'card_error';
  readonly code?: string;
  readonly param?: string;
  readonly message: string;
  /** Refused before anything was looked at; the provider does not remember such an answer under its key. */
  readonly isValidation: boolean;
}

export type BookAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: BookRefusal };

export function accepted<T>(value: T): BookAnswer<T> {
  return { ok: true, value };
}

export function missing(what: string, id: string): BookAnswer<never> {
  return bookRefusal({ status: 404, code: 'resource_missing', param: 'id', message: `No such ${what}: '${id}'` });
}

/** The request itself is wrong. */
export function invalid(param: string, message: string): BookAnswer<never> {
  return bookRefusal({ param, code: 'parameter_invalid', message, isValidation: true });
}

export function bookRefusal(refusal: Partial<BookRefusal> & { readonly message: string }): BookAnswer<never> {
  return { ok: false, refusal: { status: 400, type: 'invalid_request_error', isValidation: false, ...refusal } };
}
