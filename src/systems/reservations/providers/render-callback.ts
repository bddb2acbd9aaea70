/**
 * The address of a render's callback, and what comes back to it. Callbacks are not signed, so the address carries the
 * secret of its attempt; what the body says is not believed but looked up.
 */
import type { RenderCallback, RenderRequest } from '../render-port.ts';
import { invalidWebhookError } from './provider-error.ts';

export function renderCallbackUrl(
  base: string,
  { videoId, attempt, attemptToken }: Pick<RenderRequest, 'videoId' | 'attempt' | 'attemptToken'>,
): string {
  const url = new URL(base);
  url.searchParams.set('video', String(videoId));
  url.searchParams.set('attempt', String(attempt));
  url.searchParams.set('token', attemptToken);
  return url.href;
}

/** Undefined: about something else, such as the copy of a film to a CDN. Throws WEBHOOK_INVALID for what is no callback. */
export function readRenderCallback(request: {
  readonly rawBody: string;
  readonly query: Readonly<Record<string, string>>;
}): RenderCallback | undefined {
  const { video = '', attempt = '', token = '' } = request.query;
  if (!/^[1-9]\d{0,14}$/.test(video) || !/^[1-9]\d{0,3}$/.test(attempt) || !/^[\w-]{16,200}$/.test(token)) {
    throw invalidWebhookError('its address names no attempt');
  }
  const body = bodyOf(request.rawBody);
  if (body.type !== 'edit' || body.action !== 'render') return undefined;
  if (typeof body.id !== 'string' || !isRenderId(body.id)) throw invalidWebhookError('it names no render');
  return { videoId: Number(video), attempt: Number(attempt), attemptToken: token, renderId: body.id };
}

/** What may stand in the path of a status request. */
export function isRenderId(text: string): boolean {
  return /^[A-Za-z0-9-]{1,64}$/.test(text);
}

function bodyOf(rawBody: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(rawBody);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw invalidWebhookError('its body is not a JSON object');
}
