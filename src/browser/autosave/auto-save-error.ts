/** Why something was not saved or not restored, each with the next step. The whole table is in docs/autosave.md. */
const nextSteps = {
  /** `dispose` was called. */
  disabled: 'begin anew',
  /** The lock is another's, or was lost. The text stays in the page. */
  readonly: 'take over, or copy the text',
  /** A saved document is not saved over unread. */
  unread: 'restorePrompt(), or flushNow() to keep this text',
  /** `getDocument` threw, or returned what JSON cannot say. */
  'invalid-document': 'return JSON',
  /** The oldest generations went, and it was not enough. What was saved before is untouched. */
  'quota-exceeded': 'free some space',
  /** A file could not be written; what was saved before is untouched. */
  'write-failed': 'it is tried again',
  'read-failed': 'try again',
  /** Nothing was saved at that time, or it is no longer kept. */
  'not-found': 'listHistory()',
  /** What was saved does not fit its checksum. Nothing was deleted. */
  'data-corrupted': 'restorePrompt()',
};

export type AutoSaveErrorCode = keyof typeof nextSteps;

/** The one error class of AutoSave. */
export class AutoSaveError extends Error {
  override readonly name = 'AutoSaveError';
  readonly code: AutoSaveErrorCode;
  /** Trying the same again later can help. */
  readonly retryable: boolean;

  constructor(code: AutoSaveErrorCode, cause?: unknown) {
    super(`project/autosave: ${code}; ${nextSteps[code]}.`, { cause });
    this.code = code;
    this.retryable = /-failed|-exceeded/.test(code);
  }
}
