/**
 * Renders by Shotstack, over its HTTP API. It knows no idempotency key: a submission that got no answer may be running.
 * Its callbacks are not signed: the address carries the secret of the attempt, and the status is fetched before
 * anything is believed. Films stay at the given address for 24 hours unless a destination was set.
 */
import { platform } from '#platform';
import type { Clock } from '../../../../core/ports.ts';
import { AppError } from '../../app-error.ts';
import type { RenderPort, RenderStatus } from '../../render-port.ts';
import { refusedProviderError, unavailableProviderError } from '../provider-error.ts';
import { isRenderId, readRenderCallback, renderCallbackUrl } from '../render-callback.ts';

export interface ShotstackRenderOptions {
  readonly apiKey: string;
  /** `stage` renders with a watermark, for nothing. @default 'v1' */
  readonly stage?: 'v1' | 'stage';
  /** Where callbacks arrive, such as `https://shop.example/webhooks/renders`. @default none: the status is asked for */
  readonly callbackUrl?: string;
  /** Another address of the API, such as the fake of `kannuki/testing/providers`. @default 'https://api.shotstack.io' */
  readonly baseUrl?: string;
  /** For one request. 1 s to 2 min. @default 20000 */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

/** More is not an answer to us. */
const bytesMax = 5_000_000;

export function shotstackRender(options: ShotstackRenderOptions): RenderPort {
  const { apiKey, stage = 'v1', callbackUrl, timeoutMs = 20_000, clock = platform.clock } = options;
  const base = `${(options.baseUrl ?? 'https://api.shotstack.io').replace(/\/+$/, '')}/edit/${stage}/render`;
  if (apiKey === '') throw new AppError('shotstackRender: apiKey is empty.', { code: 'INVALID_ARGUMENT' });
  if (!(timeoutMs >= 1_000 && timeoutMs <= 120_000)) {
    throw new AppError('shotstackRender: timeoutMs must be between 1 s and 2 min.', { code: 'INVALID_ARGUMENT' });
  }

  const call = async (what: string, url: string, init: RequestInit): Promise<{ status: number; reply: Reply }> => {
    const controller = new AbortController();
    const timer = clock.after(timeoutMs, () => controller.abort(new Error(`no answer within ${timeoutMs} ms`)), {
      background: true,
    });
    try {
      const headers = { 'x-api-key': apiKey, accept: 'application/json', 'content-type': 'application/json' };
      // A redirect would carry the key to wherever it points.
      const response = await fetch(url, { ...init, headers, redirect: 'error', signal: controller.signal });
      const text = await response.text();
      return { status: response.status, reply: replyOf(text) };
    } catch (cause) {
      throw unavailableProviderError('Shotstack', what, { why: reasonOf(cause), cause });
    } finally {
      timer.cancel();
    }
  };

  return {
    name: 'shotstack',
    readCallback: readRenderCallback,
    async submit(request) {
      const what = `render video ${request.videoId}`;
      if (typeof request.source !== 'object' || request.source === null || Array.isArray(request.source)) {
        throw refusedProviderError('Shotstack', what, { why: 'its source is not an object with timeline and output.' });
      }
      const body = JSON.stringify({
        ...request.source,
        ...(callbackUrl === undefined ? {} : { callback: renderCallbackUrl(callbackUrl, request) }),
      });
      const { status, reply } = await call(what, base, { method: 'POST', body });
      const renderId = reply.response?.id;
      if (status >= 200 && status < 300 && typeof renderId === 'string' && isRenderId(renderId)) return { renderId };
      if (isDefinite(status)) throw refusedProviderError('Shotstack', what, { why: wordsOf(status, reply) });
      throw unavailableProviderError('Shotstack', what, { why: wordsOf(status, reply) });
    },
    async getStatus(renderId) {
      if (!isRenderId(renderId)) return undefined;
      const what = `tell the status of render ${renderId}`;
      const { status, reply } = await call(what, `${base}/${renderId}?data=false`, { method: 'GET' });
      if (status === 404) return undefined;
      if (status === 200 && reply.response?.id === renderId) return statusOf(renderId, reply.response);
      if (isDefinite(status)) throw refusedProviderError('Shotstack', what, { why: wordsOf(status, reply) });
      throw unavailableProviderError('Shotstack', what, { why: wordsOf(status, reply) });
    },
  };
}

interface Reply {
  readonly message?: unknown;
  readonly response?: Readonly<Record<string, unknown>>;
}

function statusOf(renderId: string, { status, url, error }: Readonly<Record<string, unknown>>): RenderStatus {
  if (status === 'failed') {
    return {
      renderId,
      status: 'failed',
      error: typeof error === 'string' ? error : 'no reason given',
      retryable: true,
    };
  }
  // Done without a film is not done yet.
  if (status === 'done' && typeof url === 'string' && /^https?:\/\//.test(url))
    return { renderId, status: 'done', url };
  return { renderId, status: 'working' };
}

/** 408 and 429 mean "later"; every other 4xx is a no that stays. */
function isDefinite(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

function replyOf(text: string): Reply {
  if (text.length > bytesMax) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return {};
    const { message, response } = value as Record<string, unknown>;
    const isObject = typeof response === 'object' && response !== null;
    return { message, ...(isObject ? { response: response as Record<string, unknown> } : {}) };
  } catch {
    return {};
  }
}

function wordsOf(status: number, { message, response }: Reply): string {
  const detail = response?.error ?? response?.message ?? message;
  return `${status}${typeof detail === 'string' ? ` ${detail.slice(0, 500)}` : ''}`;
}

function reasonOf(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  return inner instanceof Error ? inner.message : String(inner);
}
