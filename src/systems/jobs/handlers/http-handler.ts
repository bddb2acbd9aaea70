/**
 * A job that is a request to somebody else's server.
 *
 *   2xx                        success; status and body are the result
 *   408, 425, 429, 5xx         failed, tried again; Retry-After is honoured
 *   other 4xx, 3xx             failed for good: the same request would get the same answer
 *   no connection, time-out    failed, tried again
 *   not on the allow-list      failed for good, nothing is sent
 *
 * The server sees `Idempotency-Key: <run id>` and can tell a repetition of one run from another run. Whether it acted
 * on a request that timed out nobody here can know.
 */
import { platform } from '#platform';
import type { Clock } from '../../../core/ports.ts';
import { JobError } from '../job-error.ts';
import type { JobContext, JobHandler } from '../job-handler.ts';
import { type ResolveHost, sendRequest, type TargetReply } from './send-request.ts';
import { retryAfterMs } from './retry-after-ms.ts';
import { createTargetAllowList } from './target-allow-list.ts';

export interface HttpHandlerOptions {
  /** http: or https:, without user name and password. */
  readonly url: string;
  /** @default 'POST' */
  readonly method?: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';
  /** Besides those of the run. @default {} */
  readonly headers?: Readonly<Record<string, string>>;
  /** Targets that may be called; see `target-allow-list.ts`. */
  readonly allow: readonly string[];
  /** Until the whole reply is there, 1 to 86,400,000. @default 30_000 */
  readonly timeoutMs?: number;
  /** @default the system's resolver */
  readonly resolveHost?: ResolveHost;
  /** @default the real clock */
  readonly clock?: Clock;
}

export interface HttpResult {
  readonly status: number;
  /** Parsed when the reply says that it is JSON. At most 64 KiB of it are kept. */
  readonly body: unknown;
}

const replyBytesMax = 65_536;
const methods = new Set(['DELETE', 'GET', 'PATCH', 'POST', 'PUT']);

export function httpHandler(options: HttpHandlerOptions): JobHandler {
  const { method = 'POST', headers = {}, allow, timeoutMs = 30_000, resolveHost, clock = platform.clock } = options;
  const url = readUrl(options.url);
  // Without its query, which may hold a secret.
  const shown = `${url.origin}${url.pathname}`;
  if (!methods.has(method)) throw invalid(`The method ${method} is none of ${[...methods].join(', ')}.`);
  if (!(timeoutMs >= 1 && timeoutMs <= 86_400_000))
    throw invalid(`timeoutMs is ${timeoutMs}; it must be from 1 to 86400000.`);
  const allowList = createTargetAllowList(allow);
  return async (context): Promise<HttpResult> => {
    const { run, payload, startToken, signal } = context;
    const limit = new AbortController();
    const timer = clock.after(timeoutMs, () => limit.abort());
    const body = method === 'GET' || payload === undefined ? undefined : JSON.stringify(payload);
    const request = {
      url,
      method,
      headers: {
        'user-agent': 'kannuki',
        accept: 'application/json, */*;q=0.5',
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        'idempotency-key': String(run.id),
        'kannuki-job': encodeURIComponent(run.job),
        'kannuki-attempt': String(run.attempt),
        'kannuki-token': String(startToken),
      },
      body,
      signal: AbortSignal.any([signal, limit.signal]),
      replyBytesMax,
    };
    const startedMs = clock.monotonicMs();
    const took = (): string => `${Math.round(clock.monotonicMs() - startedMs)} ms`;
    try {
      const reply = await sendRequest(request, allowList, resolveHost);
      context.log(`${method} ${shown} → ${reply.status} in ${took()}`);
      return judge(reply, shown, context, clock.wallMs());
    } catch (error) {
      if (error instanceof JobError && error.code !== 'target-forbidden') throw error;
      const why = limit.signal.aborted ? `no complete reply within ${timeoutMs} ms` : messageOf(error);
      context.log(`${method} ${shown} → ${why} (${took()})`);
      throw error instanceof JobError ? error : toJobError(error, why, shown, context);
    } finally {
      timer.cancel();
      // Whoever sees the run ended finds its whole log.
      await context.flushLog();
    }
  };
}

function judge(reply: TargetReply, shown: string, { run }: JobContext, nowMs: number): HttpResult {
  const { status, headers, body } = reply;
  if (status >= 200 && status < 300) return { status, body: bodyOf(reply) };
  const retryable = status >= 500 || status === 408 || status === 425 || status === 429;
  const after = retryable ? retryAfterMs([headers['retry-after']].flat()[0], nowMs) : undefined;
  const said = body.trim() === '' ? '' : ` It said: ${body.trim().slice(0, 500)}`;
  const redirect = status >= 300 && status < 400 ? ' Redirects are not followed; give the final address.' : '';
  throw new JobError(`${shown} answered with ${status}.${redirect}${said}`, {
    code: 'target-failed',
    retryable,
    job: run.job,
    runId: run.id,
    ...(after !== undefined && { retryAfterMs: after }),
  });
}

function toJobError(cause: unknown, why: string, shown: string, { run, signal }: JobContext): JobError {
  const of = { job: run.job, runId: run.id, cause };
  if (signal.aborted)
    return new JobError(`The request to ${shown} was stopped; whether it was acted on is unknown.`, {
      ...of,
      code: 'aborted',
    });
  return new JobError(`${shown} gave no answer: ${why}.`, { ...of, code: 'target-failed', retryable: true });
}

function bodyOf({ headers, body, truncated }: TargetReply): unknown {
  if (truncated || !/\bjson\b/i.test([headers['content-type']].flat()[0] ?? '')) return body;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function readUrl(text: string): URL {
  if (!URL.canParse(text)) throw invalid(`"${text}" is no URL.`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw invalid(`The URL "${text}" is neither http nor https.`);
  // They would end up in logs; a header keeps them out.
  if (url.username !== '' || url.password !== '')
    throw invalid('A URL with a user name or password is not taken; send a header instead.');
  return url;
}

function invalid(message: string): JobError {
  return new JobError(message, { code: 'invalid-argument' });
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return error.message || (code ?? error.name);
}
