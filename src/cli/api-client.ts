/** Requests of the command line to a Kannuki server; a failure is one sentence with the exit code that fits it. */
import type { CliContext } from './cli-context.ts';
import { CliError } from './cli-error.ts';
import { dataDirOf, tokenFor } from './compose.ts';
import { exitCodes } from './exit-codes.ts';

export interface ApiOptions {
  readonly url?: string;
  readonly data?: string;
}

export interface ApiClient {
  readonly url: string;
  /** Undefined: ready; else why not. */
  whyNotReady(): Promise<string | undefined>;
  get<Reply>(path: string): Promise<Reply>;
  send<Reply>(method: 'POST' | 'PUT', path: string, body?: object, headers?: Record<string, string>): Promise<Reply>;
}

const defaultUrl = 'http://127.0.0.1:4010';
const timeoutMs = 30_000;

/** `--url`, else KANNUKI_URL, else this machine. */
export function createApiClient(context: CliContext, options: ApiOptions): ApiClient {
  const { env, messages, platform } = context;
  const url = (options.url ?? (env.KANNUKI_URL || defaultUrl)).replace(/\/+$/, '');
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new CliError(messages.badStore(url), exitCodes.usage);
  const token = tokenFor(url, context, dataDirOf(options.data, env));

  const ask = async <Reply>(path: string, init: RequestInit): Promise<Reply> => {
    const late = new AbortController();
    const timer = platform.clock.after(timeoutMs, () => late.abort());
    try {
      const response = await fetch(`${url}${path}`, {
        ...init,
        // The token must not travel to wherever a redirect points.
        redirect: 'manual',
        signal: late.signal,
        headers: { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` },
      });
      const json: unknown = await response.json().catch(() => undefined);
      if (response.ok) return json as Reply;
      throw answerError(response.status, json, url, init.method === 'GET');
    } catch (cause) {
      if (cause instanceof CliError) throw cause;
      const why = late.signal.aborted ? `${timeoutMs / 1_000} s` : reasonOf(cause);
      const isSafe = init.method === 'GET' || why === 'ECONNREFUSED' || why === 'ENOTFOUND';
      throw isSafe
        ? new CliError(messages.unreachable(url, why), exitCodes.store, { cause })
        : new CliError(messages.outcomeUnknown(url, why), exitCodes.unknown, { cause });
    } finally {
      timer.cancel();
    }
  };

  return {
    url,
    async whyNotReady() {
      try {
        await ask('/readyz', { method: 'GET' });
        return undefined;
      } catch (error) {
        // No answer at all is told as such.
        if (!(error instanceof CliError) || error.cause !== undefined) throw error;
        return error.message;
      }
    },
    get: (path) => ask(`/api/v1${path}`, { method: 'GET' }),
    send: (method, path, body = {}, headers = {}) =>
      ask(`/api/v1${path}`, {
        method,
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
  };
}

function answerError(status: number, json: unknown, url: string, isRead: boolean): CliError {
  const { detail, code } = (typeof json === 'object' && json !== null ? json : {}) as {
    readonly detail?: unknown;
    readonly code?: unknown;
  };
  const sentence = typeof detail === 'string' ? detail : `${url} answered ${status}.`;
  if ([400, 413, 415, 422].includes(status)) return new CliError(sentence, exitCodes.usage);
  if (status === 404) return new CliError(sentence, exitCodes.notFound);
  if (status === 409) return new CliError(sentence, exitCodes.conflict);
  // A server that fails may have done it first, unless it says that it had not begun.
  const begun = code !== 'not-ready' && code !== 'stopping';
  if (status >= 500 && !isRead && begun) return new CliError(sentence, exitCodes.unknown);
  return new CliError(sentence, exitCodes.store);
}

/** `fetch` says "fetch failed"; the reason is one or two causes below. */
function reasonOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return error instanceof Error ? error.message : String(error);
}
