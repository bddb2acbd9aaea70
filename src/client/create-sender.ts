import type { Clock } from '../core/ports.ts';
import { ClientError } from './client-error.ts';

export interface ClientOptions {
  /** Of a server, or of several on the same database: the next one is asked when one does not answer. */
  readonly url: string | readonly string[];
  /** Absent in a page of the server itself, which has its session. */
  readonly token?: string;
  /** How long an answer may take, beside what it waits for. @default 30000 */
  readonly timeoutMs?: number;
  /** @default the engine's */
  readonly fetch?: typeof fetch;
}

export interface SentRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
}

export interface Sender {
  /** An answer of 2xx; anything else throws. Its beginning is bounded in time. */
  send(request: SentRequest): Promise<Response>;
}

export function createSender({ url, token, fetch: send = fetch }: ClientOptions, clock: Clock): Sender {
  const bases = (typeof url === 'string' ? [url] : url).map((base) => base.replace(/\/+$/, ''));
  let at = 0;

  const ask = async (base: string, request: SentRequest, signal: AbortSignal): Promise<Response> =>
    send(`${base}${request.path}`, {
      method: request.method,
      // The token must not travel to wherever a redirect points.
      redirect: 'manual',
      signal,
      headers: {
        accept: 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    });

  return {
    async send(request) {
      for (let tried = 1; ; tried++) {
        const base = bases[at % bases.length] ?? '';
        const late = new AbortController();
        const timer = clock.after(request.timeoutMs, () => late.abort());
        try {
          const signals = request.signal ? [late.signal, request.signal] : [late.signal];
          const response = await ask(base, request, AbortSignal.any(signals));
          if (response.ok) return response;
          throw await problemOf(response, base);
        } catch (cause) {
          if (cause instanceof ClientError) throw cause;
          if (request.signal?.aborted) throw request.signal.reason;
          at += 1;
          const isUndone = request.method === 'GET' || ['ECONNREFUSED', 'ENOTFOUND'].includes(reasonOf(cause) ?? '');
          if (isUndone && tried < bases.length) continue;
          throw unanswered(base, isUndone, late.signal.aborted ? request.timeoutMs : undefined, cause);
        } finally {
          timer.cancel();
        }
      }
    },
  };
}

async function problemOf(response: Response, base: string): Promise<ClientError> {
  const json: unknown = await response.json().catch(() => undefined);
  const problem = (typeof json === 'object' && json !== null ? json : {}) as Readonly<Record<string, unknown>>;
  const { status } = response;
  return new ClientError(typeof problem.detail === 'string' ? problem.detail : `${base} answered ${status}.`, {
    code: typeof problem.code === 'string' ? problem.code : `status-${status}`,
    status,
    retryable: status === 429 || status >= 502,
    problem,
  });
}

function unanswered(base: string, isUndone: boolean, timeoutMs: number | undefined, cause: unknown): ClientError {
  const why = timeoutMs === undefined ? (reasonOf(cause) ?? 'the connection broke') : `nothing within ${timeoutMs} ms`;
  const code = isUndone ? 'unreachable' : 'unknown-outcome';
  const then = isUndone ? '' : ' It is not known whether the request was served; repeat it under the same key.';
  return new ClientError(`${base} did not answer (${why}).${then}`, { code, retryable: true, cause });
}

/** `fetch` says "fetch failed"; the reason is one or two causes below. */
function reasonOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return undefined;
}
