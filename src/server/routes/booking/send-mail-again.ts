import { bookingOf, staffOf } from '../../booking/booking-of.ts';
import { actBody } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { readAct, readId } from '../../read-request.ts';

/** The mail goes to its customer once more. */
export async function sendMailAgain(call: Call): Promise<Response> {
  await readAct(call, actBody);
  const { reservations } = bookingOf(call);
  return Response.json(await reservations.sendMailAgain(readId(call), { actor: staffOf(call) }));
}
