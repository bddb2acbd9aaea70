import { bookingOf, customerOf, ownStory } from '../../booking/booking-of.ts';
import { customerStory } from '../../booking/customer-view.ts';
import { actBody, type CustomerReservationReply } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { readAct, readId } from '../../read-request.ts';

/** Cancels; a second press gets the same answer and changes nothing. */
export async function cancelOwnReservation(call: Call): Promise<Response> {
  const { locale = 'en' } = await readAct(call, actBody);
  const { reservations } = bookingOf(call);
  const actor = await customerOf(call, locale);
  await reservations.cancelReservation(readId(call), { actor });
  const story = await ownStory(call, actor.id);
  return Response.json({ reservation: customerStory(story) } satisfies CustomerReservationReply);
}
