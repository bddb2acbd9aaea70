/**
 * Webhooks: verify, store, answer, then work. This is the first half: size, kind and signature are checked, one insert,
 * and only then the sender may be told 2xx. Whatever is refused has changed nothing.
 */
import { AppError } from './app-error.ts';
import type { ReservationsContext } from './reservations-context.ts';

export interface WebhookInput {
  /** As it came, byte for byte. */
  readonly rawBody: string;
  readonly signature: string | undefined;
  /** The Content-Type header. */
  readonly contentType: string | undefined;
  /** By our clock, for the tolerance. */
  readonly nowMs: number;
}

export interface AcceptedWebhook {
  readonly eventId: string;
  /** It was stored before. */
  readonly duplicate: boolean;
  /** It is not about anything of ours. */
  readonly ignored: boolean;
}

const bodyCharsMax = 262_144;

export async function acceptWebhook(c: ReservationsContext, input: WebhookInput): Promise<AcceptedWebhook> {
  if (input.rawBody.length > bodyCharsMax) throw refused('the body is too large');
  if (!/^application\/json\b/i.test(input.contentType ?? '')) throw refused('the content type is not JSON');
  const event = await c.payments.verifyWebhook(input);
  const ignored = event.subject.kind === 'other';
  const { rows } = await c.database.query({
    ...c.sql.storeEvent,
    values: [
      event.id,
      event.type,
      JSON.stringify(event.subject),
      event.livemode,
      event.createdAtMs,
      ignored ? 'ignored' : 'received',
    ],
  });
  return { eventId: event.id, duplicate: rows.length === 0, ignored };
}

function refused(why: string): AppError {
  return new AppError(`The webhook was refused: ${why}. Nothing was changed.`, { code: 'WEBHOOK_INVALID' });
}
