/**
 * `Idempotency-Key`: the same key and request get the same answer, from any server of the database.
 *
 *   first            the request is served, and its answer is kept for a day
 *   again            the kept answer, with `Idempotency-Replayed: true`
 *   still under way  409 `in-flight`
 *   another request  422 `key-reused`: another path, query or body under the same key
 *
 * Only successes are kept: a refusal changed nothing, so asking again is safe and hears the truth of then. Keys belong
 * to the caller; nobody reads another's answers. A server that dies between the act and its answer leaves the key
 * blocked for a minute; then the request is served again. What must not happen twice even then (a run, an event) is
 * kept under the key by its own system, too.
 */
import type { Platform, SqlDatabase } from '../../core/ports.ts';
import { createRunOnce } from '../../engine/run-once/create-run-once.ts';
import { RunOnceError } from '../../engine/run-once/run-once-error.ts';
import { type Answered, type PlainAnswer, responseOf } from '../plain-answer.ts';
import { ProblemError } from '../problem.ts';
import { idempotencyKeyOf } from './idempotency-key-of.ts';

export interface AnswersOptions {
  /** Has the tables of `runOnceMigrations`. */
  readonly database: SqlDatabase;
  /** How long an answer is kept. @default 86400000 (a day) */
  readonly keepMs?: number;
  readonly platform?: Platform;
}

export interface AskedRequest {
  readonly request: Request;
  /** Who asks; undefined: nobody in particular, and what is kept must belong to somebody. */
  readonly whose: string | undefined;
}

export interface Answers {
  /** Serves a request once, if it has a key. The handler gets a request that can be read. */
  serve(asked: AskedRequest, handle: (request: Request) => Promise<Answered> | Answered): Promise<Answered>;
  /** Forgets answers that were kept long enough; how many. */
  prune(): Promise<number>;
}

/** What is kept. */
interface KeptAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Carries a refusal past the store, which keeps nothing of it. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly response: Response;

  constructor(response: Response) {
    super('not kept');
    this.response = response;
  }
}

export function createAnswers({ database, keepMs, platform }: AnswersOptions): Answers {
  const runOnce = createRunOnce({
    database,
    isRetryable: () => true,
    ...(keepMs !== undefined && { retentionMs: keepMs }),
    ...(platform && { platform }),
  });
  return {
    prune: () => runOnce.prune({ limit: 10_000 }),
    async serve({ request, whose }, handle) {
      const key = idempotencyKeyOf(request);
      if (key === undefined || whose === undefined) return handle(request);
      const text = await request.text();
      const { pathname, search } = new URL(request.url);
      // Whoever hangs up wants the answer later: the work goes on, so the request's own signal is left out.
      const repeatable = new Request(request.url, {
        method: request.method,
        headers: request.headers,
        ...(text !== '' && { body: text }),
      });
      try {
        const outcome = await runOnce<KeptAnswer>(
          { key, scope: `http:${whose}`, input: [request.method, pathname, search, text] },
          async () => {
            const response = responseOf(await handle(repeatable));
            if (!response.ok) throw new Refused(response);
            const type = response.headers.get('content-type') ?? '';
            return { status: response.status, type, body: await response.text() };
          },
        );
        switch (outcome.outcome) {
          case 'ran':
            return answerOf(outcome.result, false);
          case 'replayed':
            return answerOf(outcome.result, true);
          case 'in-flight':
            throw inFlight(outcome.retryAfterMs);
          case 'reused':
            throw reused();
        }
      } catch (error) {
        if (error instanceof Refused) return error.response;
        if (error instanceof RunOnceError) throw unknownOutcome();
        throw error;
      }
    },
  };
}

function answerOf({ status, type, body }: KeptAnswer, isReplay: boolean): PlainAnswer {
  return {
    status,
    headers: { 'content-type': type, ...(isReplay && { 'idempotency-replayed': 'true' }) },
    body,
  };
}

function inFlight(retryAfterMs: number): ProblemError {
  return new ProblemError({
    status: 409,
    code: 'in-flight',
    detail: 'A request with this Idempotency-Key is being served; ask again for its answer.',
    headers: { 'retry-after': String(Math.min(60, Math.max(1, Math.ceil(retryAfterMs / 1000)))) },
  });
}

function reused(): ProblemError {
  return new ProblemError({
    status: 422,
    code: 'key-reused',
    detail: 'This Idempotency-Key belongs to another request; take a new one.',
  });
}

function unknownOutcome(): ProblemError {
  return new ProblemError({
    status: 503,
    code: 'unknown-outcome',
    detail: 'It is not known whether this was done; repeat the request with the same Idempotency-Key.',
    headers: { 'retry-after': '1' },
  });
}
