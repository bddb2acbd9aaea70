import { bookingOf } from '../../booking/booking-of.ts';
import { customerView } from '../../booking/customer-view.ts';
import { addDays, dayAt } from '../../booking/list-days.ts';
import { type HoldReply, holdBody } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { ProblemError } from '../../problem.ts';
import { readBody } from '../../read-request.ts';

/** Keeps a time for the customer. The same key and wish again: the same answer. */
export async function holdSlot(call: Call): Promise<Response> {
  const body = await readBody(call, holdBody);
  const { reservations, customers, site } = bookingOf(call);
  const visitor = call.customer ?? '';
  const last = addDays(dayAt(call.services.clock.wallMs(), site.timeZone), site.daysAhead - 1);
  if (body.projectionDate > last) {
    throw new ProblemError({
      status: 409,
      code: 'SLOT_NOT_OFFERED',
      detail: `Times can be booked until ${last}, which is ${site.daysAhead} days ahead.`,
    });
  }
  const { projectionDate, slotNumber, idempotencyKey, name, email, locale, filmTitle } = body;
  const filmSource = site.filmSource(filmTitle);
  const { userId, videoId } = await customers.prepare({ visitor, name, email, locale, filmTitle, filmSource });
  const held = await reservations.holdSlot(
    { videoId, projectionDate, slotNumber, idempotencyKey },
    { actor: { kind: 'user', id: userId, locale } },
  );
  const [found] = await reservations.read.list({ userId, beforeId: held.reservationId + 1, limit: 1 });
  if (!found) throw new Error(`Reservation ${held.reservationId} was made and is not there.`);
  const reply: HoldReply = { reservation: customerView(found), replayed: held.replayed };
  return Response.json(reply, { status: held.replayed ? 200 : 201 });
}
