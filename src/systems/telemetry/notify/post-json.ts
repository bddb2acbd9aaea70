import { platform } from '#platform';
import type { Clock } from '../../../core/ports.ts';
import { TelemetryError } from '../telemetry-error.ts';

export interface PostOptions {
  readonly url: string;
  readonly body: object;
  /** In words, for the error: the address itself can be a secret. */
  readonly receiver: string;
  /** @default the global fetch */
  readonly fetch?: typeof fetch;
  /** @default 10000 */
  readonly timeoutMs?: number;
  /** @default the platform's clock */
  readonly clock?: Clock;
}

/** Sends JSON and takes only a 2xx for an answer. */
export async function postJson(options: PostOptions): Promise<void> {
  const { url, body, receiver, fetch: send = fetch, timeoutMs = 10_000, clock = platform.clock } = options;
  const late = new AbortController();
  const timer = clock.after(timeoutMs, () => late.abort());
  let response: Response;
  try {
    response = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: late.signal,
    });
    await response.body?.cancel();
  } catch (error) {
    throw new TelemetryError(`${receiver} did not answer; it will be tried again.`, {
      code: 'delivery-failed',
      retryable: true,
      cause: error,
    });
  } finally {
    timer.cancel();
  }
  if (!response.ok) {
    throw new TelemetryError(`${receiver} answered ${response.status}; it will be tried again.`, {
      code: 'delivery-failed',
      retryable: response.status >= 500 || response.status === 429,
    });
  }
}
