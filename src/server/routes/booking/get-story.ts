import { bookingOf, noSuchReservation } from '../../booking/booking-of.ts';
import { showReservation } from '../../booking/show-reservation.ts';
import type { StoryReply } from '../../booking-contract.ts';
import type { Call } from '../../call.ts';
import { readId } from '../../read-request.ts';

/** Everything that was written down about one reservation. */
export async function getStory(call: Call): Promise<Response> {
  const { reservations, site } = bookingOf(call);
  const story = await reservations.read.story(readId(call));
  if (!story) throw noSuchReservation();
  return Response.json({
    story: { ...story, reservation: showReservation(story.reservation) },
    timeZone: site.timeZone,
  } satisfies StoryReply);
}
