import type { Call } from '../call.ts';
import type { ListRunsReply } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';
import { readQuery } from '../read-request.ts';
import { refuseHidden } from '../refuse-hidden.ts';
import { runsQuery } from '../run-contract.ts';

/** Newest first; `beforeId` is the last one of the page before. */
export async function listRuns(call: Call): Promise<Response> {
  const { redaction } = call.services;
  const options = readQuery(call, runsQuery);
  refuseHidden(call, options);
  const runs = await jobsOf(call).read.runs(options);
  return Response.json({
    runs: runs.map((run) => ({ ...run, payload: redaction.hide(run.payload), result: redaction.hide(run.result) })),
  } satisfies ListRunsReply);
}
