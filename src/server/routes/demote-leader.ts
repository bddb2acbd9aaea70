import type { Call } from '../call.ts';
import { actBody } from '../job-contract.ts';
import { actorOf, jobsOf } from '../jobs-of.ts';
import { readAct } from '../read-request.ts';

/** Ends the leadership of whoever leads; another takes over. */
export async function demoteLeader(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  const { why } = await readAct(call, actBody);
  return Response.json({ demoted: await jobs.demote(actorOf(call, why)) });
}
