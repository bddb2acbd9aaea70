import type { Call } from '../call.ts';
import { type ListRunsReply, runsQuery } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';
import { readQuery } from '../read-request.ts';

/** Newest first; `beforeId` is the last one of the page before. */
export async function listRuns(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  const runs = await jobs.read.runs(readQuery(call, runsQuery));
  return Response.json({ runs } satisfies ListRunsReply);
}
