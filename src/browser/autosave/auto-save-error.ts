/** Why something was not saved or not restored. What follows each is in docs/autosave.md. */
const messages = {
  /** `dispose` was called. */
  disabled: 'Disposed of.',
  /** The lock is another's, or was lost. */
  readonly: 'This tab may not write; its text stays in the page.',
  /** A saved document is not saved over unread. */
  unread: 'The saved document was not read here: restorePrompt() or flushNow().',
  /** `getDocument` threw, or returned what JSON cannot say. */
  'invalid-document': 'The document is not JSON.',
  /** The oldest generations went, and it was not enough. What was saved before is untouched. */
  'quota-exceeded': 'Storage is full: free some.',
  /** Tried again by itself. */
  'write-failed': 'Not written; tried again.',
  'read-failed': 'Not readable; try again.',
  /** Nothing was saved at that time, or it is no longer kept. */
  'not-found': 'Nothing saved there.',
  /** What was saved does not fit its checksum. */
  'data-corrupted': 'The checksum is wrong; nothing was deleted: restorePrompt().',
};

export type AutoSaveErrorCode = keyof typeof messages;

/** The one error class of AutoSave. */
export class AutoSaveError extends Error {
  override readonly name = 'AutoSaveError';
  readonly code: AutoSaveErrorCode;
  /** Trying the same again later can help. */
  readonly retryable: boolean;

  constructor(code: AutoSaveErrorCode, cause?: unknown) {
    super(messages[code], { cause });
    this.code = code;
    this.retryable = /-failed|-exceeded/.test(code);
  }
}
