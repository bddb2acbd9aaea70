/**
 * Failures as RFC 9457 problem details. `code` is stable and meant for programs, `detail` for people. A failure of the
 * store or of ourselves says nothing about the inside: its own message goes to the log only.
 */
import { LeaseError, type LeaseErrorCode } from '../core/errors.ts';
import { AnalysisError } from '../systems/analysis/index.ts';
import { JobError, type JobErrorCode } from '../systems/jobs/index.ts';
import { AppError, type AppErrorCode } from '../systems/reservations/index.ts';
import { TelemetryError, type TelemetryErrorCode } from '../systems/telemetry/index.ts';
import type { PlainAnswer } from './plain-answer.ts';

export type ProblemCode =
  | AppErrorCode
  | JobErrorCode
  | LeaseErrorCode
  | 'bad-json'
  | 'body-too-large'
  | 'count-changed'
  | 'forbidden'
  | 'ended'
  | 'has-successor'
  | 'held'
  | 'in-flight'
  | 'internal'
  | 'key-reused'
  | 'method-not-allowed'
  | 'no-such-phase'
  | 'not-ended'
  | 'not-found'
  | 'not-ready'
  | 'rollout-changed'
  | 'stopping'
  | 'too-many-events'
  | 'too-many-requests'
  | 'too-many-streams'
  | 'too-many-waits'
  | 'unauthenticated'
  | 'unsupported-media-type'
  | 'wrong-state';

export interface Problem {
  readonly status: number;
  readonly code: ProblemCode;
  readonly title: string;
  readonly detail: string;
}

export interface ProblemOptions {
  readonly status: number;
  readonly code: ProblemCode;
  /** One sentence: what is wrong and what would be right. */
  readonly detail: string;
  /** Further members of the body. */
  readonly fields?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by whatever serves a request, answered in one place. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly options: ProblemOptions;

  constructor(options: ProblemOptions) {
    super(options.detail);
    this.options = options;
  }
}

export function problemAnswer({ status, code, detail, fields, headers }: ProblemOptions): PlainAnswer {
  const problem: Problem = { title: titles[status] ?? 'Error', status, code, detail };
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify({ ...problem, ...fields }),
  };
}

/** What the caller is told about an error; undefined options never leave this function. */
export function problemOf(error: unknown): ProblemOptions {
  if (error instanceof ProblemError) return error.options;
  if (error instanceof LeaseError) {
    const known = leaseProblems[error.code];
    if (known) return { code: error.code, ...known, detail: known.detail ?? error.message };
  }
  if (error instanceof AnalysisError) {
    if (error.code === 'not-found') return { status: 404, code: 'not-found', detail: error.message };
    if (error.code === 'invalid-argument') return { status: 400, code: 'invalid-argument', detail: error.message };
  }
  if (error instanceof TelemetryError) {
    const known = telemetryProblems[error.code];
    if (known) return { ...known, detail: error.message };
  }
  if (error instanceof AppError) return reservationProblemOf(error);
  if (error instanceof JobError) {
    const known = jobProblems[error.code];
    if (known) return { code: error.code, ...known, detail: known.detail ?? error.message };
  }
  return { status: 500, code: 'internal', detail: 'The server failed; its log says why.' };
}

function reservationProblemOf({ code, message, retryAfterMs }: AppError): ProblemOptions {
  const known = reservationProblems[code];
  return {
    status: known.status,
    code,
    detail: known.detail ?? message,
    ...(retryAfterMs !== undefined && {
      fields: { retryAfterMs },
      headers: { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) },
    }),
  };
}

interface KnownProblem {
  readonly status: number;
  /** Absent: the error's own message, which speaks of the request only. */
  readonly detail?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const again = { 'retry-after': '1' };

const leaseProblems: Readonly<Partial<Record<LeaseErrorCode, KnownProblem>>> = {
  'invalid-argument': { status: 400 },
  unsupported: { status: 501 },
  closed: { status: 503, detail: 'The lease store is closed; the server is about to stop.', headers: again },
  'store-unavailable': {
    status: 503,
    detail: 'The lease store does not answer, so the outcome is unknown; repeat the same request with the same owner.',
    headers: again,
  },
  'store-refused': { status: 502, detail: 'The lease store refused the server; its log says why.' },
  'store-corrupt': {
    status: 500,
    detail: 'The lease store holds something unreadable; the log of the server says what.',
  },
  'schema-newer': { status: 503, detail: 'The database was made by a newer version; update the server.' },
  'in-use': { status: 503, detail: 'The data of the server is in use by another process.', headers: again },
};

const reservationProblems: Readonly<Record<AppErrorCode, KnownProblem>> = {
  SLOT_ALREADY_TAKEN: { status: 409 },
  SLOT_SETTLING: { status: 409 },
  IDEMPOTENCY_KEY_REUSED: { status: 422 },
  CANNOT_CANCEL: { status: 409 },
  CANNOT_CHECK_OUT: { status: 409 },
  SLOT_NOT_OFFERED: { status: 409 },
  INVALID_ARGUMENT: { status: 400 },
  NOT_FOUND: { status: 404 },
  LOCK_TIMEOUT: { status: 503 },
  LOCK_REENTRY: { status: 500 },
  PROVIDER_UNAVAILABLE: {
    status: 503,
    detail: 'A provider does not answer, so the outcome is unknown; it is looked at again by itself.',
  },
  PROVIDER_REFUSED: { status: 502, detail: 'A provider refused; the log of the server says why.' },
  WEBHOOK_INVALID: { status: 400 },
};

const telemetryProblems: Readonly<
  Partial<Record<TelemetryErrorCode, { readonly status: number; readonly code: ProblemCode }>>
> = {
  'invalid-argument': { status: 400, code: 'invalid-argument' },
  'rollout-changed': { status: 409, code: 'rollout-changed' },
  'no-such-phase': { status: 409, code: 'no-such-phase' },
};

const jobProblems: Readonly<Partial<Record<JobErrorCode, KnownProblem>>> = {
  'invalid-argument': { status: 400 },
  'invalid-payload': { status: 400 },
  'invalid-schedule': { status: 400 },
  'unknown-job': { status: 404 },
  'log-missing': { status: 404 },
  'search-too-slow': { status: 422 },
  unsupported: { status: 501 },
  closed: { status: 503, detail: 'The jobs are closed; the server is about to stop.', headers: again },
  'unknown-outcome': { status: 503, headers: again },
};

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};
