import type { Call } from '../call.ts';
import type { ListJobsReply } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';
import { showJob } from '../show-job.ts';

export async function listJobs(call: Call): Promise<Response> {
  const jobs = await jobsOf(call).read.jobs();
  return Response.json({ jobs: jobs.map((job) => showJob(job, call)) } satisfies ListJobsReply);
}
