import type { Call } from '../call.ts';
import { jobsQuery, type ListJobsReply } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';
import { pageOf } from '../paging/page-of.ts';
import { readQuery } from '../read-request.ts';
import { showJob } from '../show-job.ts';

/** Definitions, by name. */
export async function listJobs(call: Call): Promise<Response> {
  const { cursor, limit = 100 } = readQuery(call, jobsQuery);
  const { rows, more } = await pageOf({
    list: 'jobs',
    limit,
    read: (count) => jobsOf(call).read.jobs({ ...(cursor && { afterName: cursor[0] }), limit: count }),
    placeOf: ({ name }) => [name],
  });
  return Response.json({ jobs: rows.map((job) => showJob(job, call)), ...more } satisfies ListJobsReply);
}
