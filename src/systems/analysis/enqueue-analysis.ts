/**
 * Asks for an analysis: as a job of `kannuki/jobs`, or of any queue that has `enqueue(name, payload, options)`, or as an
 * HTTP task of Google's Cloud Tasks. Either may deliver twice; the lock makes that harmless.
 */
import { AnalysisError } from './analysis-error.ts';
import type { AnalysisOutcome, AnalysisWorker } from './create-analysis-worker.ts';
import { checkId } from './lock-table.ts';

/** The name of the job. */
export const analysisJob = 'analysis';

/** What we need of a queue of jobs. */
export interface AnalysisQueue {
  enqueue(
    name: string,
    payload: { readonly analysisId: string },
    options: { readonly idempotencyKey: string },
  ): Promise<unknown>;
}

/** Enqueues an analysis once: the key is that of its id, so that a repeat adds nothing. */
export async function enqueueAnalysis(queue: AnalysisQueue, analysisId: string): Promise<void> {
  checkId(analysisId);
  await queue.enqueue(analysisJob, { analysisId }, { idempotencyKey: `${analysisJob}/${analysisId}` });
}

/** What `jobs.define` takes. */
export interface AnalysisJobDefinition {
  readonly name: string;
  readonly maxRetries: number;
  readonly timeoutSeconds: number;
  readonly handler: (context: { readonly payload: unknown }) => Promise<AnalysisOutcome>;
}

/**
 * A worker as a job of `kannuki/jobs`. Whoever finds the analysis locked, or loses it, throws `unfinished` with the
 * delay after which the next attempt is worth while.
 */
export function analysisJobDefinition(
  worker: AnalysisWorker,
  options: {
    /** A run that takes longer is ended; at least what an analysis takes. @default 3600 */
    readonly timeoutSeconds?: number;
  } = {},
): AnalysisJobDefinition {
  const { timeoutSeconds = 3_600 } = options;
  return {
    name: analysisJob,
    // Being locked is no failure, but it counts as an attempt.
    maxRetries: 1_000,
    timeoutSeconds,
    async handler({ payload }) {
      const analysisId = (payload as { readonly analysisId?: unknown } | null)?.analysisId;
      checkId(analysisId);
      const found = await worker.handle({ analysisId });
      if (found.outcome !== 'lost' && !(found.outcome === 'skipped' && found.reason === 'locked')) return found;
      throw new AnalysisError(`Analysis "${analysisId}" is not at its end (${found.reason}); it is looked at again.`, {
        code: 'unfinished',
        retryable: true,
        analysisId,
        retryAfterMs: Math.max(1_000, Math.ceil(found.retryAfterMs ?? 0)),
      });
    },
  };
}

export interface CloudTaskOptions {
  readonly analysisId: string;
  /** Where the server is: `https://worker.example.org`. */
  readonly baseUrl: string;
  /** The queue: `projects/P/locations/L/queues/Q`. */
  readonly queue: string;
  /** Who calls: the server's internal token, or a service account whose identity the server verifies. */
  readonly auth:
    | { readonly internalToken: string }
    | { readonly serviceAccountEmail: string; readonly audience: string };
  /** How long a call may take: at least what an analysis takes; Cloud Tasks allows 15 to 1,800. @default 1800 */
  readonly dispatchDeadlineSec?: number;
}

/** The body of `projects.locations.queues.tasks.create`, as its REST interface and the client library take it. */
export interface CloudTaskRequest {
  readonly parent: string;
  readonly task: {
    /** The same id gives the same name: a task that exists, or did lately, is refused as a duplicate. */
    readonly name: string;
    readonly dispatchDeadline: { readonly seconds: number };
    readonly httpRequest: {
      readonly httpMethod: 'POST';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Base64. */
      readonly body: string;
      readonly oidcToken?: { readonly serviceAccountEmail: string; readonly audience: string };
    };
  };
}

export function analysisCloudTask(options: CloudTaskOptions): CloudTaskRequest {
  const { analysisId, baseUrl, queue, auth, dispatchDeadlineSec = 1_800 } = options;
  checkId(analysisId);
  if (!(dispatchDeadlineSec >= 15 && dispatchDeadlineSec <= 1_800)) {
    throw new AnalysisError(`dispatchDeadlineSec must be 15 to 1800, got ${dispatchDeadlineSec}.`, {
      code: 'invalid-argument',
    });
  }
  const body = new TextEncoder().encode(JSON.stringify({ analysis_id: analysisId }));
  return {
    parent: queue,
    task: {
      name: `${queue}/tasks/${analysisJob}-${hexOf(analysisId)}`,
      dispatchDeadline: { seconds: dispatchDeadlineSec },
      httpRequest: {
        httpMethod: 'POST',
        url: new URL('/internal/tasks/analysis', baseUrl).href,
        headers: {
          'content-type': 'application/json',
          ...('internalToken' in auth && { authorization: `Bearer ${auth.internalToken}` }),
        },
        body: btoa(String.fromCharCode(...body)),
        ...('audience' in auth && { oidcToken: auth }),
      },
    },
  };
}

/** Names of tasks have letters, digits, `-` and `_` only. */
function hexOf(text: string): string {
  return [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
