import type { Call } from '../call.ts';
import { jobsOf } from '../jobs-of.ts';
import { pageOf } from '../paging/page-of.ts';
import { readId, readQuery } from '../read-request.ts';
import { type RefusalsReply, refusalsQuery } from '../run-contract.ts';

/** Writes to a run that came too late and changed nothing, newest first. */
export async function listRefusals(call: Call): Promise<Response> {
  const { read } = jobsOf(call);
  const runId = readId(call);
  const { cursor, limit = 100 } = readQuery(call, refusalsQuery);
  const { rows, more } = await pageOf({
    list: 'refusals',
    limit,
    read: (count) => read.refusals({ runId, ...(cursor && { beforeId: cursor[0] }), limit: count }),
    placeOf: ({ id }) => [id],
  });
  return Response.json({ refusals: rows, ...more } satisfies RefusalsReply);
}
