import { bookingOf, staffOf } from '../../booking/booking-of.ts';
import { fixBody } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { readAct, readId } from '../../read-request.ts';

/** A person fixed a film, or has it rendered again: the clock of its refund stops. */
export async function markVideoFixed(call: Call): Promise<Response> {
  const fix = await readAct(call, fixBody);
  const { reservations } = bookingOf(call);
  return Response.json(await reservations.markVideoFixed(readId(call), fix, { actor: staffOf(call) }));
}
