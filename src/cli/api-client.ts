/** The command line's client of a Kannuki server; a failure is one sentence with the exit code that fits it. */
import { ClientError } from '../client/client-error.ts';
import { type Client, createClient } from '../client/create-client.ts';
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
  readonly call: Client['call'];
}

const defaultUrl = 'http://127.0.0.1:4010';
const timeoutMs = 30_000;

/** `--url`, else KANNUKI_URL, else this machine. */
export function createApiClient(context: CliContext, options: ApiOptions): ApiClient {
  const { env, messages } = context;
  const url = (options.url ?? (env.KANNUKI_URL || defaultUrl)).replace(/\/+$/, '');
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new CliError(messages.badStore(url), exitCodes.usage);
  const client = createClient({ url, token: tokenFor(url, context, dataDirOf(options.data, env)), timeoutMs });

  const told = (error: unknown, isRead: boolean): unknown => {
    if (!(error instanceof ClientError)) return error;
    if (error.status !== undefined) return answerError(error, error.status, isRead);
    const why = reasonOf(error.cause);
    return error.code === 'unreachable'
      ? new CliError(messages.unreachable(url, why), exitCodes.store, { cause: error })
      : new CliError(messages.outcomeUnknown(url, why), exitCodes.unknown, { cause: error });
  };

  return {
    url,
    async whyNotReady() {
      try {
        await client.call('GET /readyz', {});
        return undefined;
      } catch (error) {
        if (error instanceof ClientError && error.status !== undefined) return error.message;
        throw told(error, true);
      }
    },
    async call(name, request) {
      try {
        return await client.call(name, request);
      } catch (error) {
        throw told(error, name.startsWith('GET '));
      }
    },
  };
}

function answerError({ message, code }: ClientError, status: number, isRead: boolean): CliError {
  if ([400, 413, 415, 422].includes(status)) return new CliError(message, exitCodes.usage);
  if (status === 404) return new CliError(message, exitCodes.notFound);
  if (status === 409) return new CliError(message, exitCodes.conflict);
  // A server that fails may have done it first, unless it says that it had not begun.
  const begun = code !== 'not-ready' && code !== 'stopping';
  if (status >= 500 && !isRead && begun) return new CliError(message, exitCodes.unknown);
  return new CliError(message, exitCodes.store);
}

/** `fetch` says "fetch failed"; the reason is one or two causes below. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'AbortError') return `${timeoutMs / 1_000} s`;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return error instanceof Error ? error.message : String(error);
}
