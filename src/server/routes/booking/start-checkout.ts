import { bookingOf, customerOf } from '../../booking/booking-of.ts';
import { actBody, type CheckoutReply } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { readAct, readId } from '../../read-request.ts';

/** Where the customer pays; asked again, the same place. */
export async function startCheckout(call: Call): Promise<Response> {
  const { locale = 'en' } = await readAct(call, actBody);
  const { reservations, sandbox } = bookingOf(call);
  const actor = await customerOf(call, locale);
  const { url, sessionId, expiresAt: expiresAtMs } = await reservations.startCheckout(readId(call), { actor });
  const reply: CheckoutReply = sandbox.payments
    ? { url: `/book/checkout/${sessionId}`, sandboxSession: sessionId, expiresAtMs }
    : { url, expiresAtMs };
  return Response.json(reply);
}
