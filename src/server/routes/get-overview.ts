import type { Call } from '../call.ts';
import { jobsOf } from '../jobs-of.ts';
import { readQuery } from '../read-request.ts';
import { type OverviewReply, overviewQuery } from '../run-contract.ts';

/** Throughput, latency, what fails now, and what was put right by itself. */
export async function getOverview(call: Call): Promise<Response> {
  const { minutes = 60 } = readQuery(call, overviewQuery);
  return Response.json((await jobsOf(call).read.overview(minutes)) satisfies OverviewReply);
}
