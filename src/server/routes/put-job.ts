import { nextDueTimes } from '../../systems/jobs/index.ts';
import type { Call } from '../call.ts';
import { type JobReply, putJobBody } from '../job-contract.ts';
import { actorOf, jobsOf, noSuchJob } from '../jobs-of.ts';
import { readBody } from '../read-request.ts';

/** Defines a job that needs no code, or changes it. Code that defines the same name writes over it at its next start. */
export async function putJob(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  const name = call.params.name ?? '';
  const body = await readBody(call, putJobBody);
  const before = await jobs.read.job(name);
  // The delay between attempts is not part of the body, and an edit of something else does not change it.
  const backoff = before && {
    baseMs: before.backoffBaseSeconds * 1_000,
    maxMs: before.backoffMaxSeconds * 1_000,
    factor: before.backoffFactor,
  };
  await jobs.editJob({ ...body, ...(backoff && { backoff }), name }, actorOf(call, undefined));
  const job = await jobs.read.job(name);
  if (!job) throw noSuchJob(name);
  const next = job.schedule ? nextDueTimes(job.schedule, call.services.clock.wallMs()) : [];
  return Response.json({ job, nextDueTimes: next } satisfies JobReply);
}
