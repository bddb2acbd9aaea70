import { bookingOf } from '../../booking/booking-of.ts';
import { showReservation } from '../../booking/show-reservation.ts';
import { type ReservationsReply, reservationsQuery } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { readQuery } from '../../read-request.ts';

/** Reservations, the newest first. */
export async function listReservations(call: Call): Promise<Response> {
  const { from, to, status, q, problems, cursor, limit = 100 } = readQuery(call, reservationsQuery);
  const rows = await bookingOf(call).reservations.read.list({
    ...(from && { from }),
    ...(to && { to }),
    ...(status && { status }),
    ...(q && { text: q }),
    problems: problems === 'true',
    ...(cursor && { beforeId: Number(cursor) }),
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return Response.json({
    reservations: page.map(showReservation),
    ...(rows.length > limit && last && { cursor: String(last.id) }),
    nowMs: page[0]?.nowMs ?? call.services.clock.wallMs(),
  } satisfies ReservationsReply);
}
