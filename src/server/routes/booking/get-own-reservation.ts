import { customerOf, ownStory } from '../../booking/booking-of.ts';
import { customerStory } from '../../booking/customer-view.ts';
import type { CustomerReservationReply } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';

export async function getOwnReservation(call: Call): Promise<Response> {
  const { id } = await customerOf(call);
  return Response.json({ reservation: customerStory(await ownStory(call, id)) } satisfies CustomerReservationReply);
}
