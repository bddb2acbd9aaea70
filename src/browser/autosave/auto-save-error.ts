/** Why something was not saved or not restored. What follows each is in docs/autosave.md. */
export type AutoSaveErrorCode =
  /** `dispose` was called. */
  | 'disabled'
  /** The lock is another's, or was lost. The text stays in the page. */
  | 'readonly'
  /** A saved document is there that this tab has not read: `restorePrompt`, or `flushNow` to keep this tab's. */
  | 'unread'
  /** `getDocument` threw, or returned what JSON cannot say. */
  | 'invalid-document'
  /** Storage is full. The oldest generations went, and it was not enough. What was saved before is untouched. */
  | 'quota-exceeded'
  /** A file could not be written; what was saved before is untouched. */
  | 'write-failed'
  | 'read-failed'
  /** Nothing was saved at that time, or it is no longer kept. */
  | 'not-found'
  /** What was saved does not fit its checksum. Nothing was deleted; `restorePrompt` offers what does. */
  | 'data-corrupted';

/** The one error class of AutoSave. */
export class AutoSaveError extends Error {
  override readonly name = 'AutoSaveError';
  readonly code: AutoSaveErrorCode;
  /** Trying the same again later can help; a save is tried again by itself. */
  readonly retryable: boolean;

  constructor(code: AutoSaveErrorCode, cause?: unknown) {
    const retryable = /-failed|-exceeded/.test(code);
    super(`project/autosave: ${code}; ${retryable ? 'try again' : 'the text stays in the page'}.`, { cause });
    this.code = code;
    this.retryable = retryable;
  }
}
