import type { Call } from '../call.ts';
import { type JobReply, putJobBody } from '../job-contract.ts';
import { actorOf, jobsOf, noSuchJob } from '../jobs-of.ts';
import { readBody } from '../read-request.ts';

/** Defines a job that needs no code, or changes it. Code that defines the same name writes over it at its next start. */
export async function putJob(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  const name = call.params.name ?? '';
  await jobs.editJob({ ...(await readBody(call, putJobBody)), name }, actorOf(call, undefined));
  const job = await jobs.read.job(name);
  if (!job) throw noSuchJob(name);
  return Response.json({ job, nextDueTimes: [] } satisfies JobReply);
}
