/** What an error of the SDK means to a caller. The codes are those of gRPC. */
import { LeaseError } from '../../core/errors.ts';

const codes = {
  unknown: 2,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  internal: 13,
  unauthenticated: 16,
} as const;

/**
 * The write is over and most likely in vain: read again, and decide anew. `not-found` is an update of a document that
 * was removed meanwhile. `unknown` and `internal` are what a busy server says when it gave up on a contended document.
 */
const triedInVain: readonly unknown[] = [
  codes.aborted,
  codes.alreadyExists,
  codes.failedPrecondition,
  codes.internal,
  codes.notFound,
  codes.unknown,
];

/** Whoever read again sees whether the write took effect after all: it carries a mark of its own. */
export function mayTryAgain(error: unknown): boolean {
  return triedInVain.includes(codeOf(error));
}

/** A condition named by the caller did not hold: trying the same again cannot help. */
export function failedPrecondition(error: unknown): boolean {
  const code = codeOf(error);
  return code === codes.failedPrecondition || code === codes.alreadyExists || code === codes.notFound;
}

export function explainFirestoreError(error: unknown): LeaseError {
  if (error instanceof LeaseError) return error;
  const said = error instanceof Error ? error.message || error.name : String(error);
  switch (codeOf(error)) {
    case codes.permissionDenied:
    case codes.unauthenticated:
      return new LeaseError(`Firestore refused (${said}): check the project, the credentials and their role.`, {
        code: 'store-refused',
        cause: error,
      });
    case codes.notFound:
      return new LeaseError(`Firestore refused (${said}): check that the project has a database in Native mode.`, {
        code: 'store-refused',
        cause: error,
      });
    case codes.failedPrecondition:
      return new LeaseError(`Firestore refused (${said}).`, { code: 'store-refused', cause: error });
    case codes.resourceExhausted:
      return new LeaseError(`Firestore is over its quota (${said}): try again later.`, {
        code: 'store-unavailable',
        retryable: true,
        cause: error,
      });
    default:
      return new LeaseError(
        `Firestore did not answer (${said}); it is not known whether the write took effect. Check the network and FIRESTORE_EMULATOR_HOST.`,
        { code: 'store-unavailable', retryable: true, cause: error },
      );
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
