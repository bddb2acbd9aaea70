import { bookingOf, staffOf } from '../../booking/booking-of.ts';
import { actBody } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { readAct, readId } from '../../read-request.ts';

/** A person of the house cancels; a paid one is refunded, and the customer is told. */
export async function cancelReservation(call: Call): Promise<Response> {
  await readAct(call, actBody);
  const { reservations } = bookingOf(call);
  return Response.json(await reservations.cancelReservation(readId(call), { actor: staffOf(call) }));
}
