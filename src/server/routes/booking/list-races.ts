import { bookingOf } from '../../booking/booking-of.ts';
import { type RacesReply, racesQuery } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { pageOf } from '../../paging/page-of.ts';
import { readQuery } from '../../read-request.ts';

/** Conflicts that were met and how each was resolved, the newest first. */
export async function listRaces(call: Call): Promise<Response> {
  const { scenario, cursor, limit = 100 } = readQuery(call, racesQuery);
  const { races: read } = bookingOf(call).reservations.read;
  const { rows, more } = await pageOf({
    list: 'races',
    limit,
    read: (count) => read({ ...(scenario && { scenario }), ...(cursor && { beforeId: cursor[0] }), limit: count }),
    placeOf: ({ id }) => [id],
  });
  return Response.json({ races: rows, ...more } satisfies RacesReply);
}
