/** Why a backup could not be written or brought back. */
export type BackupErrorCode =
  /** There is no such file. */
  | 'file-missing'
  /** The file cannot be read or written. */
  | 'file-unusable'
  /** A file of this name exists. */
  | 'file-exists'
  /** Cut short, changed, or no backup at all. */
  | 'damaged'
  /** Written by a newer version of Kannuki. */
  | 'newer'
  /** The database to back up has no tables of Kannuki. */
  | 'nothing-there'
  /** The database to restore into has rows. */
  | 'not-empty'
  /** The database to restore into is in use. */
  | 'in-use'
  /** The clock of the database to restore into is behind: its tokens would be too low. */
  | 'clock-behind';

/** The one error class of backups. The message says what is wrong and what to do next. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly code: BackupErrorCode;
  readonly retryable: boolean;

  constructor(message: string, options: { readonly code: BackupErrorCode; readonly cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.retryable = options.code === 'clock-behind' || options.code === 'in-use';
  }
}
