import type { Call } from '../call.ts';
import type { WorkersReply } from '../job-contract.ts';
import { jobsOf } from '../jobs-of.ts';

/** Newest first; those that have ended, too. */
export async function listWorkers(call: Call): Promise<Response> {
  return Response.json({ workers: await jobsOf(call).read.workers() } satisfies WorkersReply);
}
