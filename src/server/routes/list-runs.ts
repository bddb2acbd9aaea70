import type { Call } from '../call.ts';
import type { ListRunsReply } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';
import { pageOf } from '../paging/page-of.ts';
import { readQuery } from '../read-request.ts';
import { refuseHidden } from '../refuse-hidden.ts';
import { runsQuery } from '../run-contract.ts';

/** Newest first. */
export async function listRuns(call: Call): Promise<Response> {
  const { redaction } = call.services;
  const { cursor, limit = 50, ...filter } = readQuery(call, runsQuery);
  refuseHidden(call, filter);
  const { rows, more } = await pageOf({
    list: 'runs',
    limit,
    read: (count) => jobsOf(call).read.runs({ ...filter, ...(cursor && { beforeId: cursor[0] }), limit: count }),
    placeOf: ({ id }) => [id],
  });
  return Response.json({
    runs: rows.map((run) => ({ ...run, payload: redaction.hide(run.payload), result: redaction.hide(run.result) })),
    ...more,
  } satisfies ListRunsReply);
}
