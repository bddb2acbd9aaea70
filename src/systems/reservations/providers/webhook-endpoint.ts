/**
 * The two addresses that providers call, as Request → Response: one for payment webhooks, one for render callbacks.
 *
 *   2xx   stored, or known already: the sender may forget it
 *   4xx   not from the provider, or not what it sends: nothing was changed, and the same again gets the same answer
 *   503   ours: not stored, the sender shall bring it again
 */
import { AppError } from '../app-error.ts';
import type { Reservations } from '../reservations.ts';

export interface WebhookEndpointOptions {
  readonly reservations: Pick<Reservations, 'acceptWebhook' | 'handleRenderCallback'>;
  /** Called after an event was stored and answered: a good moment for `workEvents`. Must not throw. */
  readonly onStored?: () => void;
  /** What went wrong on our side; the sender only hears 503. */
  readonly onError?: (error: unknown) => void;
}

export interface WebhookEndpoint {
  payments(request: Request): Promise<Response>;
  renders(request: Request): Promise<Response>;
}

/** Larger bodies are not webhooks of ours; the rest of them is not even read. */
const bytesMax = 262_144;

export function webhookEndpoint({ reservations, onStored, onError }: WebhookEndpointOptions): WebhookEndpoint {
  const answer = async (
    request: Request,
    work: (rawBody: string) => Promise<Record<string, unknown>>,
  ): Promise<Response> => {
    if (request.method !== 'POST') return refuse(405, 'Send a POST request.', { allow: 'POST' });
    if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) {
      return refuse(415, 'Send JSON with the header "Content-Type: application/json".');
    }
    try {
      const rawBody = await readBody(request);
      if (rawBody === undefined) return refuse(413, `The body is larger than ${bytesMax} bytes.`);
      return Response.json(await work(rawBody));
    } catch (error) {
      if (error instanceof AppError && error.code === 'WEBHOOK_INVALID') return refuse(400, error.message);
      onError?.(error);
      return refuse(503, 'Not stored. Please send it again.', { 'retry-after': '10' });
    }
  };
  return {
    payments: (request) =>
      answer(request, async (rawBody) => {
        const { duplicate } = await reservations.acceptWebhook({
          rawBody,
          signature: request.headers.get('stripe-signature') ?? undefined,
          contentType: request.headers.get('content-type') ?? undefined,
        });
        onStored?.();
        return { received: true, duplicate };
      }),
    renders: (request) =>
      answer(request, async (rawBody) => {
        const query = Object.fromEntries(new URL(request.url).searchParams);
        const heard = await reservations.handleRenderCallback({ rawBody, query });
        return { received: true, ignored: heard?.ignored ?? true };
      }),
  };
}

/** The text, byte for byte; undefined = too large. Text that is not UTF-8 is no JSON and throws. */
async function readBody(request: Request): Promise<string | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > bytesMax) return undefined;
    chunks.push(chunk);
  }
  try {
    // The byte order mark stays: the signature is over every byte.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new AppError('The webhook was refused: its body is not UTF-8. Nothing was changed.', {
      code: 'WEBHOOK_INVALID',
      cause,
    });
  }
}

function refuse(status: number, detail: string, headers: Record<string, string> = {}): Response {
  return Response.json({ status, detail }, { status, headers });
}
