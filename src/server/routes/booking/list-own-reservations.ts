import { bookingOf } from '../../booking/booking-of.ts';
import { customerView } from '../../booking/customer-view.ts';
import { type CustomerReservationsReply, ownReservationsQuery } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { pageOf } from '../../paging/page-of.ts';
import { readQuery } from '../../read-request.ts';

/** The customer's own, the newest first. */
export async function listOwnReservations(call: Call): Promise<Response> {
  const { customers, reservations } = bookingOf(call);
  const user = call.customer === undefined ? undefined : await customers.findUser(call.customer);
  const { cursor, limit = 100 } = readQuery(call, ownReservationsQuery);
  const { rows, more } = await pageOf({
    list: 'own-reservations',
    limit,
    read: async (count) =>
      user ? reservations.read.list({ userId: user.id, ...(cursor && { beforeId: cursor[0] }), limit: count }) : [],
    placeOf: ({ id }) => [id],
  });
  return Response.json({ reservations: rows.map(customerView), ...more } satisfies CustomerReservationsReply);
}
