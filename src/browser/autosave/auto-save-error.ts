/** Why something was not saved or not restored. What follows each is in docs/autosave.md. */
export type AutoSaveErrorCode =
  /** `dispose` was called. */
  | 'disabled'
  /** This tab may not write. The text stays in the page. */
  | 'readonly'
  /** A saved document is there that this tab has not read: it is not saved over. */
  | 'unread'
  /** The document could not be had, or is nothing that JSON can say. */
  | 'invalid-document'
  /** Storage is full, and the oldest generations were not enough. What was saved before is untouched. */
  | 'quota-exceeded'
  /** A file could not be written. Tried again by itself. */
  | 'write-failed'
  /** A file could not be read. */
  | 'read-failed'
  /** Nothing was saved at that time, or it is no longer kept. */
  | 'not-found'
  /** What was saved does not fit its checksum. Nothing was deleted. */
  | 'data-corrupted';

const retryableCodes: readonly AutoSaveErrorCode[] = ['quota-exceeded', 'write-failed', 'read-failed'];

/** The one error class of AutoSave. */
export class AutoSaveError extends Error {
  override readonly name = 'AutoSaveError';
  readonly code: AutoSaveErrorCode;
  /** Trying the same again later can help. */
  readonly retryable: boolean;

  constructor(message: string, options: { readonly code: AutoSaveErrorCode; readonly cause?: unknown }) {
    super(message, options);
    this.code = options.code;
    this.retryable = retryableCodes.includes(options.code);
  }
}
