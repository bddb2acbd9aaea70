import type { Call } from '../call.ts';
import { type WorkersReply, workersQuery } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';
import { pageOf } from '../paging/page-of.ts';
import { readQuery } from '../read-request.ts';

/** Newest first; those that have ended, too, unless only the live ones are asked for. */
export async function listWorkers(call: Call): Promise<Response> {
  const { live, cursor, limit = 100 } = readQuery(call, workersQuery);
  const { rows, more } = await pageOf({
    list: 'workers',
    limit,
    read: (count) =>
      jobsOf(call).read.workers({ live: live === 'true', ...(cursor && { beforeId: cursor[0] }), limit: count }),
    placeOf: ({ id }) => [id],
  });
  return Response.json({ workers: rows, ...more } satisfies WorkersReply);
}
