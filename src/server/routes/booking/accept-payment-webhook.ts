/** The two addresses that providers call. Each proves itself: by a signature, or by the secret in its address. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { bookingOf } from '../../booking/booking-of.ts';
import type { Call } from '../../call.ts';
import { ProblemError } from '../../problem.ts';

export function acceptPaymentWebhook(call: Call): Promise<Response> {
  return bookingOf(call).webhooks.payments(call.request);
}

export function acceptRenderCallback(call: Call): Promise<Response> {
  const { webhooks, renderSecret } = bookingOf(call);
  if (!isSame(call.params.secret ?? '', renderSecret)) {
    throw new ProblemError({ status: 404, code: 'not-found', detail: 'There is nothing at this path.' });
  }
  return webhooks.renders(call.request);
}

/** By their sums, so that the time of a refusal tells nothing. */
function isSame(given: string, wanted: string): boolean {
  const sum = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(sum(given), sum(wanted));
}
