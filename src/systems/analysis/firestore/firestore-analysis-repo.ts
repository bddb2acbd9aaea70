/**
 * Analyses in Firestore, document `analyses/{analysisId}`. A lock changes in a transaction that reads the document
 * first; "now" is the server's read time of that read.
 *
 *   status                         READY and FAILED are final
 *   lockOwner                      null or absent: free
 *   lockExpiresAt, lockHeartbeatAt ISO 8601
 *   lockToken                      fencing number of the last grant; it stays when the lock is given back
 *   result | error, resultToken, finishedAt
 *
 * All other fields of the document are yours and are left alone.
 */
import type { DocumentReference, DocumentSnapshot, Firestore } from '@google-cloud/firestore';
import { platform } from '#platform';
import { LeaseError } from '../../../core/errors.ts';
import type { Clock, Logger } from '../../../core/ports.ts';
import { isoTime } from '../../../platform/iso-time.ts';
import { parseIsoTime } from '../../../platform/parse-iso-time.ts';
import { type AnalysisWithLock, isFinished } from '../analysis.ts';
import { AnalysisError, analysisNotFound } from '../analysis-error.ts';
import type { AnalysisLock } from '../analysis-lock.ts';
import type { AnalysisEvent, AnalysisRepo } from '../analysis-repo.ts';
import { checkId, type LockedAnalysis, lockTable } from '../lock-table.ts';

export interface FirestoreAnalysisRepoOptions {
  /** Of `@google-cloud/firestore` or `firebase-admin`. It stays yours. */
  readonly firestore: Firestore;
  /** Path of the collection. @default 'analyses' */
  readonly collection?: string;
  /** An operation that is not answered fails after this; it may still take effect. @default 10000 */
  readonly commandTimeoutMs?: number;
  readonly onEvent?: (event: AnalysisEvent) => void;
  /** @default silent */
  readonly logger?: Logger;
  /** @default the platform's clock */
  readonly clock?: Pick<Clock, 'after'>;
}

/** A transaction on a document that others write is tried again; many at once need several tries. */
const maxAttempts = 20;
/** gRPC's codes. */
const alreadyExists = 6;
const refusing: readonly unknown[] = [3, 5, 7, 9, 16];

export function firestoreAnalysisRepo(options: FirestoreAnalysisRepoOptions): AnalysisRepo {
  const { firestore, collection = 'analyses', commandTimeoutMs = 10_000, clock = platform.clock } = options;
  const { onEvent, logger } = options;
  const analyses = firestore.collection(collection);
  const documentOf = (analysisId: string): DocumentReference => {
    checkId(analysisId);
    if (!/\/|^\.\.?$|^__.*__$/.test(analysisId)) return analyses.doc(analysisId);
    throw new AnalysisError(`"${analysisId}" cannot name a document of Firestore.`, {
      code: 'invalid-argument',
      analysisId,
    });
  };

  const ask = <T>(answer: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const late = (): void => reject(unavailable(`no answer within ${commandTimeoutMs} ms`));
      const timer = clock.after(commandTimeoutMs, late, { background: true });
      answer.then(resolve, (error: unknown) => reject(explain(error))).finally(() => timer.cancel());
    });

  return {
    name: 'firestore',
    ...lockTable({
      name: 'firestore',
      onEvent,
      logger,
      read: async (analysisId) => lockedOf(await ask(documentOf(analysisId).get())),
      change: (analysisId, change) => {
        const document = documentOf(analysisId);
        const work = firestore.runTransaction(
          async (tx) => {
            const lock = change(lockedOf(await tx.get(document)));
            if (lock) tx.update(document, lockFields(lock));
          },
          { maxAttempts },
        );
        return ask(work);
      },
    }),

    async createAnalysis(analysisId, input = null) {
      try {
        await ask(documentOf(analysisId).create({ status: 'PENDING', input, lockToken: 0 }));
      } catch (error) {
        if (!(error instanceof LeaseError) || codeOf(error.cause) !== alreadyExists) throw error;
        const message = `There is an analysis "${analysisId}" already.`;
        throw new AnalysisError(message, { code: 'already-exists', analysisId });
      }
    },

    async readAnalysis(analysisId) {
      const snapshot = await ask(documentOf(analysisId).get());
      return snapshot.exists ? analysisOf(analysisId, snapshot) : undefined;
    },

    async finishAnalysis({ analysisId, lockOwner, token, status, result, error }) {
      const document = documentOf(analysisId);
      const work = firestore.runTransaction(
        async (tx) => {
          const snapshot = await tx.get(document);
          if (!snapshot.exists) throw analysisNotFound(analysisId);
          // A repetition: the first one took effect, and only its answer was lost.
          if (isFinished(snapshot.get('status'))) return numberOf(snapshot.get('resultToken')) === token;
          const { lock } = lockedOf(snapshot) as LockedAnalysis;
          if (lock.owner !== lockOwner || lock.token !== token) return false;
          tx.update(document, {
            status,
            resultToken: token,
            finishedAt: isoTime(Math.floor(microsecondsOf(snapshot) / 1000)),
            ...(status === 'READY' ? { result: jsonOf(result) } : { error: error ?? '' }),
            lockOwner: null,
            lockExpiresAt: null,
            lockHeartbeatAt: null,
          });
          return true;
        },
        { maxAttempts },
      );
      return ask(work);
    },
  };
}

function lockedOf(snapshot: DocumentSnapshot): LockedAnalysis | undefined {
  if (!snapshot.exists) return undefined;
  const { status, lockOwner, lockExpiresAt, lockHeartbeatAt, lockToken } = snapshot.data() ?? {};
  return {
    status,
    nowUs: microsecondsOf(snapshot),
    lock: {
      owner: typeof lockOwner === 'string' && lockOwner !== '' ? lockOwner : undefined,
      endUs: usOf(lockExpiresAt),
      heartbeatUs: usOf(lockHeartbeatAt),
      token: numberOf(lockToken) ?? 0,
    },
  };
}

/** Times are kept in whole ms, rounded up: a lock may end a little later than was said, never sooner. */
function lockFields({ owner, endUs, heartbeatUs, token }: AnalysisLock): {
  readonly lockOwner: string | null;
  readonly lockExpiresAt: string | null;
  readonly lockHeartbeatAt: string | null;
  readonly lockToken: number;
} {
  const iso = (us: number | undefined): string | null => (us === undefined ? null : isoTime(Math.ceil(us / 1000)));
  return { lockOwner: owner ?? null, lockExpiresAt: iso(endUs), lockHeartbeatAt: iso(heartbeatUs), lockToken: token };
}

function analysisOf(analysisId: string, snapshot: DocumentSnapshot): AnalysisWithLock {
  const { status, input, result, error, resultToken, lockOwner, lockExpiresAt, lockHeartbeatAt, lockToken } =
    snapshot.data() ?? {};
  const number = numberOf(resultToken);
  return {
    analysisId,
    status: String(status),
    input,
    lockToken: numberOf(lockToken) ?? 0,
    ...(number !== undefined && { result: result ?? null, resultToken: number }),
    ...(typeof error === 'string' && { error }),
    ...(typeof lockOwner === 'string' && { lockOwner }),
    ...(typeof lockExpiresAt === 'string' && { lockExpiresAt }),
    ...(typeof lockHeartbeatAt === 'string' && { lockHeartbeatAt }),
  };
}

function microsecondsOf({ readTime }: DocumentSnapshot): number {
  return readTime.seconds * 1_000_000 + Math.floor(readTime.nanoseconds / 1000);
}

function usOf(text: unknown): number | undefined {
  const ms = parseIsoTime(text);
  return ms === undefined ? undefined : ms * 1000;
}

/** A client with `useBigInt` returns whole numbers as such. */
function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

/** As JSON has it: Firestore takes no undefined and no classes. */
function jsonOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}

function explain(error: unknown): unknown {
  if (error instanceof AnalysisError || error instanceof LeaseError) return error;
  const said = error instanceof Error ? error.message : String(error);
  if (codeOf(error) === alreadyExists || refusing.includes(codeOf(error))) {
    return new LeaseError(`Firestore refused (${said}).`, { code: 'store-refused', cause: error });
  }
  return unavailable(said, error);
}

function unavailable(said: string, cause?: unknown): LeaseError {
  return new LeaseError(`Firestore did not answer (${said}); it is not known whether the write took effect.`, {
    code: 'store-unavailable',
    retryable: true,
    cause,
  });
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
