import { bookingOf, customerOf, ownStory } from '../../booking/booking-of.ts';
import { customerStory } from '../../booking/customer-view.ts';
import { actBody, type CustomerReservationReply } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { readAct } from '../../read-request.ts';

/** The customer is back from the payment page: the provider is asked now, although its webhook may come later. */
export async function returnFromCheckout(call: Call): Promise<Response> {
  await readAct(call, actBody);
  const { reservations } = bookingOf(call);
  const { id } = await customerOf(call);
  const before = await ownStory(call, id);
  for (const { sessionId, state } of before.payments) {
    if (sessionId !== null && (state === 'open' || state === 'asked')) {
      await reservations.confirmReservation(before.reservation.id, { id: sessionId });
    }
  }
  return Response.json({ reservation: customerStory(await ownStory(call, id)) } satisfies CustomerReservationReply);
}
