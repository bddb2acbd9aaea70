import { bookingOf } from '../../booking/booking-of.ts';
import { type RacesReply, racesQuery } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { readQuery } from '../../read-request.ts';

/** Conflicts that were met and how each was resolved, the newest first. */
export async function listRaces(call: Call): Promise<Response> {
  const { scenario, cursor, limit = 100 } = readQuery(call, racesQuery);
  const rows = await bookingOf(call).reservations.read.races({
    ...(scenario && { scenario }),
    ...(cursor && { beforeId: Number(cursor) }),
    limit: limit + 1,
  });
  const races = rows.slice(0, limit);
  const last = races.at(-1);
  return Response.json({
    races,
    ...(rows.length > limit && last && { cursor: String(last.id) }),
  } satisfies RacesReply);
}
