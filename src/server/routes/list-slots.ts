import type { Call } from '../call.ts';
import { type SlotsReply, slotsQuery } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';
import { pageOf } from '../paging/page-of.ts';
import { readQuery } from '../read-request.ts';

/** What became of each due time of a job, newest first. */
export async function listSlots(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  const { cursor, limit = 50 } = readQuery(call, slotsQuery);
  const { rows, more } = await pageOf({
    list: 'slots',
    limit,
    read: (count) => jobs.read.slots(call.params.name ?? '', { ...(cursor && { beforeMs: cursor[0] }), limit: count }),
    placeOf: ({ scheduledForMs }) => [scheduledForMs],
  });
  return Response.json({ slots: rows, ...more } satisfies SlotsReply);
}
