import type { Call } from '../call.ts';
import { jobsOf } from '../jobs-of.ts';
import { readId } from '../read-request.ts';
import type { RefusalsReply } from '../run-contract.ts';

/** Writes to a run that came too late and changed nothing. */
export async function listRefusals(call: Call): Promise<Response> {
  const refusals = await jobsOf(call).read.refusals({ runId: readId(call), limit: 100 });
  return Response.json({ refusals } satisfies RefusalsReply);
}
