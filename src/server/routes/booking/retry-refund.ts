import { bookingOf, staffOf } from '../../booking/booking-of.ts';
import { actBody } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { readAct, readId } from '../../read-request.ts';

/** Joins the one refund of a payment; a parked one is tried again. */
export async function retryRefund(call: Call): Promise<Response> {
  await readAct(call, actBody);
  const { reservations } = bookingOf(call);
  return Response.json(await reservations.processRefund(readId(call), { actor: staffOf(call) }));
}
