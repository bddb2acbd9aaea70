import { BackupError, type BackupErrorCode } from '../backup/backup-error.ts';
import { LeaseError, type LeaseErrorCode } from '../core/errors.ts';
import { CliError } from './cli-error.ts';

/** What the exit code of a command says. `exec` passes on the code of its command; 75 to 77 are then our own. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  /** Held by somebody else, a folder or port in use, a late write refused. */
  conflict: 4,
  /** The store cannot be reached, or refuses us. */
  store: 5,
  /** It is not known whether it happened. */
  unknown: 6,
  /** `exec`: the lease was not granted in time; the command was not started. */
  execNotAcquired: 75,
  /** `exec`: the lease was lost; the command was ended. */
  execLost: 76,
  /** `exec`: the store cannot be used; the command was not started. */
  execStore: 77,
  /** `exec`: the command cannot be started. */
  execCannotRun: 126,
  /** `exec`: there is no such command. */
  execNoCommand: 127,
  interrupted: 130,
} as const;

const byCode: Readonly<Record<LeaseErrorCode, number>> = {
  'invalid-argument': exitCodes.usage,
  unsupported: exitCodes.usage,
  busy: exitCodes.conflict,
  'in-use': exitCodes.conflict,
  lost: exitCodes.conflict,
  'wait-timeout': exitCodes.conflict,
  'schema-newer': exitCodes.store,
  'store-refused': exitCodes.store,
  'store-unavailable': exitCodes.store,
  closed: exitCodes.failed,
  reentry: exitCodes.failed,
  'store-corrupt': exitCodes.failed,
};

const byBackupCode: Readonly<Record<BackupErrorCode, number>> = {
  'file-missing': exitCodes.notFound,
  'file-unusable': exitCodes.failed,
  'file-exists': exitCodes.conflict,
  damaged: exitCodes.failed,
  newer: exitCodes.failed,
  'nothing-there': exitCodes.notFound,
  'not-empty': exitCodes.conflict,
  'in-use': exitCodes.conflict,
  'clock-behind': exitCodes.failed,
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof BackupError) return byBackupCode[error.code];
  return error instanceof LeaseError ? byCode[error.code] : exitCodes.failed;
}
