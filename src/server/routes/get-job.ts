import { nextDueTimes } from '../../systems/jobs/index.ts';
import type { Call } from '../call.ts';
import type { JobReply } from '../job-contract.ts';
import { jobsOf, noSuchJob } from '../jobs-of.ts';
import { showJob } from '../show-job.ts';

/** A definition with its next five due times. */
export async function getJob(call: Call): Promise<Response> {
  const name = call.params.name ?? '';
  const job = await jobsOf(call).read.job(name);
  if (!job) throw noSuchJob(name);
  const next = job.schedule ? nextDueTimes(job.schedule, call.services.clock.wallMs()) : [];
  return Response.json({ job: showJob(job, call), nextDueTimes: next } satisfies JobReply);
}
