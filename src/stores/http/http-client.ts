/** Requests to a Kannuki server, each bounded in time, each failure told as a `LeaseError`. */

import type { Connections, Exchange } from '../../core/connections.ts';
import { LeaseError, type LeaseErrorCode } from '../../core/errors.ts';
import type { Clock } from '../../core/ports.ts';

export interface HttpClientOptions {
  /** See `checkUrl`. */
  readonly base: string;
  readonly token: string;
  readonly connections: Connections;
  /** For replies that go on. */
  readonly fetch: typeof fetch;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

export interface HttpCall {
  readonly method: 'GET' | 'POST';
  /** Below `/api/v1/leases`, with its query. */
  readonly path: string;
  readonly body?: object;
  /** Named in an error. */
  readonly key?: string;
  /** A status that is an answer beside 200. */
  readonly expect?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly json: unknown;
}

export interface HttpClient {
  readonly base: string;
  send(call: HttpCall): Promise<HttpAnswer>;
  /** Opens a reply that goes on; only its beginning is bounded in time. Abort `signal` to end it. */
  open(call: HttpCall, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  close(): void;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { base, token, timeoutMs, clock, connections } = options;
  checkToken(token);
  const closed = new AbortController();
  const underWay = new Set<Exchange>();
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  const headersOfBody = { ...headers, 'content-type': 'application/json' };

  function checkOpen(): void {
    if (closed.signal.aborted) throw new LeaseError(`The store of ${base} was closed.`, { code: 'closed' });
  }

  async function send(call: HttpCall): Promise<HttpAnswer> {
    checkOpen();
    const { method } = call;
    const path = `${root}${call.path}`;
    const exchange = connections.exchange(
      call.body ? { method, path, headers: headersOfBody, body: JSON.stringify(call.body) } : { method, path, headers },
    );
    let late = false;
    underWay.add(exchange);
    const timer = clock.after(timeoutMs, () => {
      late = true;
      exchange.cancel();
    });
    try {
      const { status, text } = await exchange.answer;
      const json = parseJson(text);
      if (status === 200 || status === call.expect) return { status, json };
      throw answerError(base, call, status, json);
    } catch (cause) {
      throw cause instanceof LeaseError ? cause : unreachable(call, cause, late);
    } finally {
      timer.cancel();
      underWay.delete(exchange);
    }
  }

  async function open(call: HttpCall, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    checkOpen();
    const late = new AbortController();
    // Once the reply has begun the timer is cancelled.
    const timer = clock.after(timeoutMs, () => late.abort());
    try {
      const response = await options.fetch(`${base}${root}${call.path}`, {
        method: call.method,
        headers,
        // The token must not travel to wherever a redirect points.
        redirect: 'manual',
        signal: AbortSignal.any([signal, late.signal, closed.signal]),
      });
      if (response.status === 200 && response.body) return response.body;
      throw answerError(base, call, response.status, parseJson(await response.text()));
    } catch (cause) {
      throw cause instanceof LeaseError ? cause : unreachable(call, cause, late.signal.aborted);
    } finally {
      timer.cancel();
    }
  }

  function unreachable(call: HttpCall, cause: unknown, late: boolean): LeaseError {
    const why = late ? `no answer within ${timeoutMs} ms` : describeCause(cause);
    const effect = call.method === 'GET' ? '' : ' It is not known whether the request took effect.';
    return new LeaseError(
      `The Kannuki server at ${base} did not answer (${why}); check that it runs and can be reached.${effect}`,
      { code: 'store-unavailable', retryable: true, cause, ...named(call) },
    );
  }

  return {
    base,
    send,
    open,
    close() {
      closed.abort();
      for (const exchange of underWay) exchange.cancel();
      connections.close();
    },
  };
}

const root = '/api/v1/leases';

/** The address as requests begin with it. */
export function checkUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new LeaseError(
      `The address of a Kannuki server must begin with http:// or https://, got ${JSON.stringify(url)}.`,
      {
        code: 'invalid-argument',
      },
    );
  }
  if (parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw new LeaseError('The address of a Kannuki server must not carry credentials, a query or a fragment.', {
      code: 'invalid-argument',
    });
  }
  return parsed.href.replace(/\/+$/, '');
}

function checkToken(token: string): void {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new LeaseError('A token for a Kannuki server must be printable ASCII without spaces, and not empty.', {
      code: 'invalid-argument',
    });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Codes of a problem that mean the same here as on the server. */
const sameCodes: readonly string[] = [
  'invalid-argument',
  'schema-newer',
  'store-corrupt',
  'store-refused',
  'store-unavailable',
  'unsupported',
] satisfies readonly LeaseErrorCode[];

function answerError(base: string, call: HttpCall, status: number, json: unknown): LeaseError {
  const problem = readProblem(json);
  const detail = problem?.detail ?? `status ${status} without an explanation`;
  const code = codeOf(status, problem?.code);
  const message =
    code === 'invalid-argument' || code === 'unsupported'
      ? detail
      : `The Kannuki server at ${base} answered ${status}: ${detail}`;
  return new LeaseError(message, { code, retryable: code === 'store-unavailable', ...named(call) });
}

function codeOf(status: number, code: string | undefined): LeaseErrorCode {
  if (code !== undefined && sameCodes.includes(code)) return code as LeaseErrorCode;
  if (status === 413) return 'invalid-argument';
  // Not ours, or not for us: another server, a proxy, a wrong token. Trying again does not help.
  if (status < 500 && status !== 408 && status !== 425 && status !== 429) return 'store-refused';
  return 'store-unavailable';
}

function readProblem(json: unknown): { readonly code: string; readonly detail: string } | undefined {
  if (typeof json !== 'object' || json === null || !('code' in json) || !('detail' in json)) return undefined;
  const { code, detail } = json;
  return typeof code === 'string' && typeof detail === 'string' ? { code, detail } : undefined;
}

function named({ key }: HttpCall): { readonly key?: string } {
  return key === undefined ? {} : { key };
}

/** `fetch` says "fetch failed"; the reason is one or two causes below. */
function describeCause(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return error instanceof Error ? error.message : String(error);
}
