import type { Call } from '../call.ts';
import { limitQuery, type SlotsReply } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';
import { readQuery } from '../read-request.ts';

/** What became of each due time of a job, newest first. */
export async function listSlots(call: Call): Promise<Response> {
  const jobs = jobsOf(call);
  const slots = await jobs.read.slots(call.params.name ?? '', readQuery(call, limitQuery));
  return Response.json({ slots } satisfies SlotsReply);
}
