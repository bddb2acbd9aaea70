import { bookingOf } from '../../booking/booking-of.ts';
import { showReservation } from '../../booking/show-reservation.ts';
import { type ReservationsReply, reservationsQuery } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { pageOf } from '../../paging/page-of.ts';
import { readQuery } from '../../read-request.ts';

/** Reservations, the newest first. */
export async function listReservations(call: Call): Promise<Response> {
  const { from, to, status, q, problems, cursor, limit = 100 } = readQuery(call, reservationsQuery);
  const { list: read } = bookingOf(call).reservations.read;
  const { rows, more } = await pageOf({
    list: 'reservations',
    limit,
    read: (count) =>
      read({
        ...(from && { from }),
        ...(to && { to }),
        ...(status && { status }),
        ...(q && { text: q }),
        problems: problems === 'true',
        ...(cursor && { beforeId: cursor[0] }),
        limit: count,
      }),
    placeOf: ({ id }) => [id],
  });
  return Response.json({
    reservations: rows.map(showReservation),
    ...more,
    nowMs: rows[0]?.nowMs ?? call.services.clock.wallMs(),
  } satisfies ReservationsReply);
}
