import type { Actor } from '../../../systems/reservations/index.ts';
import { bookingOf } from '../../booking/booking-of.ts';
import { dayAt, listDays } from '../../booking/list-days.ts';
import { daysQuery } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { readQuery } from '../../read-request.ts';

/** The times of some days as this customer sees them. */
export async function listOffers(call: Call): Promise<Response> {
  const { customers } = bookingOf(call);
  const user = call.customer === undefined ? undefined : await customers.findUser(call.customer);
  return Response.json(await daysOf(call, user ? { kind: 'user', id: user.id } : { kind: 'system' }));
}

/** The same for people of the house. */
export async function listSlotDays(call: Call): Promise<Response> {
  return Response.json(await daysOf(call, { kind: 'system' }));
}

async function daysOf(call: Call, actor: Actor) {
  const booking = bookingOf(call);
  const nowMs = call.services.clock.wallMs();
  const { from = dayAt(nowMs, booking.site.timeZone), days = 7 } = readQuery(call, daysQuery);
  return listDays(booking, { from, days, actor, nowMs });
}
