import type { Call } from '../call.ts';
import type { ListJobsReply } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';

export async function listJobs(call: Call): Promise<Response> {
  return Response.json({ jobs: await jobsOf(call).read.jobs() } satisfies ListJobsReply);
}
