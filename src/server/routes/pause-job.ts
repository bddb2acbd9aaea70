import type { Call } from '../call.ts';
import { pauseBody } from '../job-contract.ts';
import { actorOf, jobsOf, noSuchJob } from '../jobs-of.ts';
import { readBody } from '../read-request.ts';

/** A paused job makes no runs by the clock or by events. */
export async function pauseJob(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  const name = call.params.name ?? '';
  const { paused, why } = await readBody(call, pauseBody);
  if (!(await jobs.pauseJob(name, paused, actorOf(call, why)))) throw noSuchJob(name);
  return Response.json({ paused });
}
